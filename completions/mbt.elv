
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
            cand --color 'When to colour messages: auto, always or never'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand convert 'Convert between CSV, TSV, JSON, NDJSON, Arrow and MATHLDBT'
            cand head 'Show the first rows as a table'
            cand inspect 'Tell what is inside MATHLDBT files: columns, encodings, sizes'
            cand verify 'Check that MATHLDBT files are whole'
            cand compress 'Change the codec and level of frames, not their rows'
            cand decompress 'Write frames as they are, without a codec'
            cand estimate 'Tell bytes and transfer time per format and codec over a link'
            cand bench 'Measure this build on this machine, and keep a log of it'
            cand completions 'Print a completion script for a shell'
            cand man 'Write the manual pages, which tell of every option'
        }
        &'mbt;convert'= {
            cand --from 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]'
            cand --max-frame 'Refuse frames with more plain bytes'
            cand --delimiter 'Between fields: one byte, \t or tab [default: detected]'
            cand --quote 'Character around fields: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable, the first is written'
            cand --schema 'Fix types by name: a:i64,b:utf8, or @FILE'
            cand --infer 'exact, values or none: what a type must keep'
            cand --columns 'Keep these columns, in this order'
            cand --where 'Keep rows that meet a condition: ''price > 9.5'''
            cand --rows 'Keep rows A to B, counted from 0, B not included'
            cand --frames 'Keep frames A to B of MATHLDBT input'
            cand --exact 'Give text back to the byte: on or off'
            cand -o 'File to write; none or - is stdout'
            cand --output 'File to write; none or - is stdout'
            cand --to 'Format [default: by extension, else mbt; csv from mbt]'
            cand --wire 'MATHLDBT 2, or 1 (all rows in one frame) [default: 2]'
            cand --preset 'Wire 2: fast, balanced or small [default: balanced]'
            cand --frame-rows 'Begin a new frame every N rows; bounds memory'
            cand --encodings 'Wire 1: auto, plain or dict,delta [default: auto]'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -c 'none, zstd, gzip or lz4 [default: by extension]'
            cand --codec 'none, zstd, gzip or lz4 [default: by extension]'
            cand -l 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --level 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand -T 'Threads to use [default: one per core]'
            cand --threads 'Threads to use [default: one per core]'
            cand --color 'When to colour messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by position'
            cand --flexible 'Fill short rows with nulls; long ones make new columns'
            cand --salvage 'Leave damaged frames out, read up to the break, and tell what was lost'
            cand --index 'Wire 1: put an index behind the frames'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand -q 'Print no notes and no progress, only errors'
            cand --quiet 'Print no notes and no progress, only errors'
            cand --checksum 'Add a checksum to each frame (zstd; others have one)'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;head'= {
            cand --from 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]'
            cand --max-frame 'Refuse frames with more plain bytes'
            cand --delimiter 'Between fields: one byte, \t or tab [default: detected]'
            cand --quote 'Character around fields: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable, the first is written'
            cand --schema 'Fix types by name: a:i64,b:utf8, or @FILE'
            cand --infer 'exact, values or none: what a type must keep'
            cand --columns 'Keep these columns, in this order'
            cand --where 'Keep rows that meet a condition: ''price > 9.5'''
            cand -n 'How many rows to show'
            cand --rows 'How many rows to show'
            cand --color 'When to colour messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by position'
            cand --flexible 'Fill short rows with nulls; long ones make new columns'
            cand --json 'Print a JSON array of rows instead of a table'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;inspect'= {
            cand --frame 'The frame to map or explain, counted from 0'
            cand --preset 'How hard --explain looks: fast, balanced or small [default: balanced]'
            cand --max-frame 'Refuse frames with more plain bytes'
            cand --color 'When to colour messages: auto, always or never'
            cand --frames 'List the frames: place, codec, rows, sizes, checksum'
            cand --explain 'Tell what encodings a frame''s columns could have (wire 2)'
            cand --layout 'Map the bytes of a frame, field by field'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;verify'= {
            cand --source 'Also that the text comes back: compare it with FILE'
            cand --max-frame 'Refuse frames with more plain bytes'
            cand --color 'When to colour messages: auto, always or never'
            cand --structure 'Only that frames and columns are where they should be'
            cand --deep 'Also every value: UTF-8, JSON, bools'
            cand --json 'Print one JSON document instead of lines'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;compress'= {
            cand --max-frame 'Refuse frames with more plain bytes'
            cand -o 'File to write; none or - is stdout'
            cand --output 'File to write; none or - is stdout'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -c 'none, zstd, gzip or lz4 [default: by extension]'
            cand --codec 'none, zstd, gzip or lz4 [default: by extension]'
            cand -l 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand --level 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]'
            cand -T 'Threads to use [default: one per core]'
            cand --threads 'Threads to use [default: one per core]'
            cand --color 'When to colour messages: auto, always or never'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand -q 'Print no notes and no progress, only errors'
            cand --quiet 'Print no notes and no progress, only errors'
            cand --checksum 'Add a checksum to each frame (zstd; others have one)'
            cand --long 'Match repetitions up to 128 MiB apart (zstd)'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;decompress'= {
            cand --max-frame 'Refuse frames with more plain bytes'
            cand -o 'File to write; none or - is stdout'
            cand --output 'File to write; none or - is stdout'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand -T 'Threads to use [default: one per core]'
            cand --threads 'Threads to use [default: one per core]'
            cand --color 'When to colour messages: auto, always or never'
            cand --force 'Replace an existing file; write binary to a terminal'
            cand -q 'Print no notes and no progress, only errors'
            cand --quiet 'Print no notes and no progress, only errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;estimate'= {
            cand --rows 'Instead of a file, N rows of prices made by a recipe'
            cand --from 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]'
            cand --max-frame 'Refuse frames with more plain bytes'
            cand --delimiter 'Between fields: one byte, \t or tab [default: detected]'
            cand --quote 'Character around fields: one byte, or none [default: "]'
            cand --null 'Unquoted text that means null; repeatable, the first is written'
            cand --link 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite'
            cand --rtt-ms 'Round trip in milliseconds [default: 30]'
            cand --mbit 'Bandwidth in 10^6 bits per second [default: 100]'
            cand --model 'basic or tcp'
            cand --tls 'Model tcp: round trips of TLS [default: 0, --tls alone: 1]'
            cand --loss 'Model tcp: share of segments that are lost, as 0.001'
            cand --count 'A stream: the input is a message, sent N times'
            cand --every-ms 'A stream: milliseconds from message to message'
            cand --payloads 'source, json, ndjson, csv, v1-plain, v1, v2, arrow'
            cand --codecs 'none, lz4, gzip:6, zstd:1, zstd:3, zstd:9, zstd:19'
            cand --runs 'Measure each time at least N times'
            cand --format 'table, markdown, csv or json [default: table]'
            cand --svg 'Draw it as a picture, too'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand --color 'When to colour messages: auto, always or never'
            cand --no-header 'The first line is data; columns are named by position'
            cand --flexible 'Fill short rows with nulls; long ones make new columns'
            cand --whole 'Measure all rows, however long it takes'
            cand --json 'The same as --format json'
            cand --chart 'Draw total time over bandwidth as text'
            cand --force 'Replace an existing picture'
            cand -q 'Print no notes and no progress, only errors'
            cand --quiet 'Print no notes and no progress, only errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;bench'= {
            cand --samples 'Samples per row at least [default: 30]'
            cand --time 'Milliseconds per row at least [default: 300]'
            cand --rows 'Rows or terms, instead of the suite''s own numbers'
            cand --filter 'Only rows whose name contains TEXT; --list shows the names'
            cand --gate 'alloc: fail at N allocations per operation'
            cand --log 'Log to append an entry per suite to'
            cand --note 'Say more in the entry; repeatable'
            cand --progress 'When to show progress on stderr: auto, always or never'
            cand --color 'When to colour messages: auto, always or never'
            cand --quick 'Less of everything, for a look: 10 samples, 30 ms'
            cand --ram 'pages: also reads of data and of a hole in memory'
            cand --list 'Names of the rows, nothing is measured'
            cand --no-log 'Append nothing to a log'
            cand --json 'Print one JSON document instead of tables'
            cand -q 'Print no notes and no progress, only errors'
            cand --quiet 'Print no notes and no progress, only errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand check-log 'Check that no entry of a log was edited, and show how a row went'
            cand compare 'Compare the rows of two entries'
        }
        &'mbt;bench;check-log'= {
            cand --row 'Show rows whose name contains TEXT, entry by entry'
            cand --svg 'Draw the medians of these rows over the entries'
            cand --color 'When to colour messages: auto, always or never'
            cand --json 'Print one JSON document instead of tables'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;bench;compare'= {
            cand --color 'When to colour messages: auto, always or never'
            cand --json 'Print one JSON document instead of a table'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;completions'= {
            cand --color 'When to colour messages: auto, always or never'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'mbt;man'= {
            cand --color 'When to colour messages: auto, always or never'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
