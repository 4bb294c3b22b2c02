
use builtin;
use str;

set edit:completion:arg-completer[mbt] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'mbt'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'mbt'= {
            cand --color 'When to color messages: auto, always or never'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
            cand -V 'Print version'
            cand --version 'Print version'
            cand convert 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT'
            cand head 'Show the first rows as a table'
            cand tail 'Show the last rows as a table'
            cand stats 'Show what the columns contain: range, mean, frequent values'
            cand schema 'Print the schema of a file, or how two schemas differ'
            cand diff 'Compare two files by value'
            cand inspect 'Show how a file is stored: columns, encodings, sizes'
            cand verify 'Check that MATHLDBT files are complete and undamaged'
            cand compress 'Compress frames, or change their codec and level'
            cand decompress 'Decompress frames'
            cand estimate 'Estimate size and transfer time per format and codec over a link'
            cand bench 'Benchmark this build and append the results to a log'
            cand connect 'Print a module that connects other programs: Python, Spark'
            cand completions 'Print a shell completion script'
            cand man 'Write the manual pages to a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'mbt;convert'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand --rows 'Keep rows A..B, counted from 0, excluding B'
            cand --limit 'Keep at most N of the selected rows'
            cand --sample 'Keep N rows chosen at random'
            cand --seed 'Number that determines the sample [default: 0]'
            cand --frames 'Keep frames A..B of MATHLDBT input'
            cand --exact 'Restore text byte for byte: on or off'
            cand --hash 'Hash of the text in the index: xxh3 or sha256'
            cand -o 'Output file; default or - is stdout'
            cand --output 'Output file; default or - is stdout'
            cand --out-dir 'Convert each input to a file in this directory'
            cand --to 'Format [default: by extension, else mbt; csv from mbt]'
            cand --wire 'MATHLDBT version: 2 or 1 [default: 2]'
            cand --preset 'Wire 2: fast, balanced or small [default: balanced]'
            cand --frame-rows 'Start a new frame every N rows; bounds memory'
            cand --max-delay 'Flush waiting rows after this long when the input pauses: 500ms, 2s'
            cand --encodings 'Wire 1: auto, plain or dict,delta [default: auto]'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -c 'none, zstd, gzip, lz4 or snappy [default: by extension]'
            cand --codec 'none, zstd, gzip, lz4 or snappy [default: by extension]'
            cand -l 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --level 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --checksum 'Checksum in each zstd frame: on or off [default: on]'
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand --salvage 'Keep the intact parts of damaged frames'
            cand --skip-existing 'With --out-dir: skip inputs whose output exists'
            cand --index 'Wire 1: write an index after the frames'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;head'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand -n 'Number of rows to show of each input [default: 10]; -3 is -n 3'
            cand --limit 'Number of rows to show of each input [default: 10]; -3 is -n 3'
            cand --rows 'Show rows A..B, counted from 0, excluding B'
            cand --sample 'Keep N rows chosen at random'
            cand --seed 'Number that determines the sample [default: 0]'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand -x 'Show each row as a list, a line per column'
            cand --expanded 'Show each row as a list, a line per column'
            cand --json 'Print a JSON array of rows instead of a table'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;tail'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand -n 'Number of rows to show of each input [default: 10]; -3 is -n 3'
            cand --limit 'Number of rows to show of each input [default: 10]; -3 is -n 3'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand -x 'Show each row as a list, a line per column'
            cand --expanded 'Show each row as a list, a line per column'
            cand --json 'Print a JSON array of rows instead of a table'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;stats'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --top 'Number of frequent values per column in JSON'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand --quick 'Show only the statistics stored in frames or Parquet, without reading values'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;schema'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand --json 'Print one JSON document'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;diff'= {
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --max-record 'Reject text records longer than this'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --columns 'Keep these columns, in this order: a,b.c,''d as e'''
            cand --where 'Keep rows that match a condition: ''price > 9.5'''
            cand --key 'Match rows by the values of these columns'
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --show 'Number of rows that differ to show'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand --json 'Print one JSON document'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;inspect'= {
            cand --max-frame 'Reject frames larger than this'
            cand --where 'With --frames: list only the frames that may contain a match'
            cand --sort 'Sort columns: bytes or name [default: as in the file]'
            cand --top 'Show the first N columns only'
            cand --frame 'The frame to map or explain, counted from 0'
            cand --preset 'Preset: fast, balanced or small [default: balanced]'
            cand --color 'When to color messages: auto, always or never'
            cand --frames 'List the frames: offset, codec, rows, sizes, checksum'
            cand --explain 'Show which encodings a frame''s columns could use (wire 2)'
            cand --layout 'Map the bytes of a frame, field by field'
            cand --nested 'Show nested columns leaf by leaf'
            cand --svg 'Print an SVG treemap of the bytes'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;verify'= {
            cand --max-frame 'Reject frames larger than this'
            cand --source 'Also check that the restored text equals FILE'
            cand --color 'When to color messages: auto, always or never'
            cand --structure 'Check only the structure of frames and columns'
            cand --deep 'Also check every value: UTF-8, JSON, bools'
            cand --json 'Print one JSON document instead of lines'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;compress'= {
            cand --max-frame 'Reject frames larger than this'
            cand -o 'Output file; default or - is stdout'
            cand --output 'Output file; default or - is stdout'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -c 'none, zstd, gzip, lz4 or snappy [default: by extension]'
            cand --codec 'none, zstd, gzip, lz4 or snappy [default: by extension]'
            cand -l 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --level 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --checksum 'Checksum in each zstd frame: on or off [default: on]'
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --color 'When to color messages: auto, always or never'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand --long 'Match repetitions up to 128 MiB apart (zstd)'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;decompress'= {
            cand --max-frame 'Reject frames larger than this'
            cand -o 'Output file; default or - is stdout'
            cand --output 'Output file; default or - is stdout'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -T 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand --color 'When to color messages: auto, always or never'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;estimate'= {
            cand --rows 'Use N generated rows of prices instead of a file'
            cand --from 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]'
            cand --encoding 'Encoding of text: utf-16le, latin1, ... [default: utf-8]'
            cand --records 'JSON: rows are the array at this path, such as data.items'
            cand --max-frame 'Reject frames larger than this'
            cand --delimiter 'Field delimiter: one byte, \t or tab [default: detected]'
            cand --quote 'Quote character: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable'
            cand --comment 'Skip lines of the input that start with this, such as # or //'
            cand --skip-lines 'Skip this many lines before the header of the input'
            cand --decimal 'Decimal mark of numbers in the input: , or . [default: .]'
            cand --schema 'Set column types: a:i64,b:utf8, or @FILE'
            cand --infer 'Type inference: exact, values or none'
            cand --link 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite'
            cand --rtt-ms 'Round trip time in milliseconds [default: 30]'
            cand --mbit 'Bandwidth in Mbit/s (10^6 bits per second) [default: 100]'
            cand --model 'basic or tcp'
            cand --tls 'Model tcp: TLS round trips [default: 0; --tls alone: 1]'
            cand --loss 'Model tcp: fraction of segments lost, such as 0.001'
            cand --count 'Stream: the input is one message, sent N times'
            cand --every-ms 'Stream: milliseconds between messages'
            cand --payloads 'source,json,ndjson,csv,v1-plain,v1,v2,arrow,parquet'
            cand --codecs 'none,lz4,gzip:6,zstd:1,zstd:3,zstd:9,zstd:19'
            cand --runs 'Minimum number of runs per time'
            cand --format 'table, markdown, csv or json [default: table]'
            cand --svg 'Plot total time over bandwidth as SVG'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand --color 'When to color messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by number'
            cand --flexible 'Pad short rows, add columns for long ones'
            cand --whole 'Measure all rows, however long it takes'
            cand --json 'Same as --format json'
            cand --chart 'Plot total time over bandwidth as text'
            cand --force 'Replace an existing SVG file'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;bench'= {
            cand --samples 'Minimum number of samples per row [default: 30]'
            cand --time 'Minimum time per row in milliseconds [default: 300]'
            cand --starts 'Processes that measure each row [default: 3; file: 1]'
            cand --rows 'Numbers of rows or terms, instead of the suite''s own'
            cand --filter 'Run only rows whose name contains TEXT; see --list'
            cand --gate 'alloc: fail at N allocations per operation'
            cand --log 'Log to append to'
            cand --note 'Add a note to the entry; repeatable'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand --color 'When to color messages: auto, always or never'
            cand --quick 'Quick run: 10 samples and 30 ms per row'
            cand --ram 'pages: also time a file in /dev/shm, data and hole'
            cand --list 'List the names of the rows without measuring'
            cand --no-log 'Do not write to a log'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
            cand check-log 'Check that no log entry was edited, and show a row''s history'
            cand compare 'Compare two entries row by row'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'mbt;bench;check-log'= {
            cand --row 'Show the history of rows whose name contains TEXT'
            cand --svg 'Plot the medians of these rows as SVG'
            cand --color 'When to color messages: auto, always or never'
            cand --force 'Replace an existing SVG file'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;bench;compare'= {
            cand --color 'When to color messages: auto, always or never'
            cand --json 'Print one JSON document instead of a table'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;bench;help'= {
            cand check-log 'Check that no log entry was edited, and show a row''s history'
            cand compare 'Compare two entries row by row'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'mbt;bench;help;check-log'= {
        }
        &'mbt;bench;help;compare'= {
        }
        &'mbt;bench;help;help'= {
        }
        &'mbt;connect'= {
            cand --color 'When to color messages: auto, always or never'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;completions'= {
            cand --color 'When to color messages: auto, always or never'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;man'= {
            cand --color 'When to color messages: auto, always or never'
            cand -h 'Print help: -h a summary, --help everything'
            cand --help 'Print help: -h a summary, --help everything'
            cand -q 'Suppress notes and progress on stderr'
            cand --quiet 'Suppress notes and progress on stderr'
        }
        &'mbt;help'= {
            cand convert 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT'
            cand head 'Show the first rows as a table'
            cand tail 'Show the last rows as a table'
            cand stats 'Show what the columns contain: range, mean, frequent values'
            cand schema 'Print the schema of a file, or how two schemas differ'
            cand diff 'Compare two files by value'
            cand inspect 'Show how a file is stored: columns, encodings, sizes'
            cand verify 'Check that MATHLDBT files are complete and undamaged'
            cand compress 'Compress frames, or change their codec and level'
            cand decompress 'Decompress frames'
            cand estimate 'Estimate size and transfer time per format and codec over a link'
            cand bench 'Benchmark this build and append the results to a log'
            cand connect 'Print a module that connects other programs: Python, Spark'
            cand completions 'Print a shell completion script'
            cand man 'Write the manual pages to a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'mbt;help;convert'= {
        }
        &'mbt;help;head'= {
        }
        &'mbt;help;tail'= {
        }
        &'mbt;help;stats'= {
        }
        &'mbt;help;schema'= {
        }
        &'mbt;help;diff'= {
        }
        &'mbt;help;inspect'= {
        }
        &'mbt;help;verify'= {
        }
        &'mbt;help;compress'= {
        }
        &'mbt;help;decompress'= {
        }
        &'mbt;help;estimate'= {
        }
        &'mbt;help;bench'= {
            cand check-log 'Check that no log entry was edited, and show a row''s history'
            cand compare 'Compare two entries row by row'
        }
        &'mbt;help;bench;check-log'= {
        }
        &'mbt;help;bench;compare'= {
        }
        &'mbt;help;connect'= {
        }
        &'mbt;help;completions'= {
        }
        &'mbt;help;man'= {
        }
        &'mbt;help;help'= {
        }
    ]
    $completions[$command]
}
