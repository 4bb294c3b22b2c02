# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mbt_global_optspecs
    string join \n h/help color= q/quiet V/version
end

function __fish_mbt_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mbt_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mbt_using_subcommand
    set -l cmd (__fish_mbt_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mbt -n "__fish_mbt_needs_command" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_needs_command" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_needs_command" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_needs_command" -s V -l version -d 'Print version'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "convert" -d 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "head" -d 'Show the first rows as a table'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "tail" -d 'Show the last rows as a table'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "stats" -d 'Show what the columns contain: range, mean, frequent values'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "schema" -d 'Print the schema of a file, or how two schemas differ'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "diff" -d 'Compare two files by value'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "inspect" -d 'Show how a file is stored: columns, encodings, sizes'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "verify" -d 'Check that MATHLDBT files are complete and undamaged'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "compress" -d 'Compress frames, or change their codec and level'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "decompress" -d 'Decompress frames'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "estimate" -d 'Estimate size and transfer time per format and codec over a link'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "bench" -d 'Benchmark this build and append the results to a log'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "connect" -d 'Print a module that connects other programs: Python, Spark'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "man" -d 'Write the manual pages to a directory'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l rows -d 'Keep rows A..B, counted from 0, excluding B' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l limit -d 'Keep at most N of the selected rows' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l sample -d 'Keep N rows chosen at random' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l seed -d 'Number that determines the sample [default: 0]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l frames -d 'Keep frames A..B of MATHLDBT input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l exact -d 'Restore text byte for byte: on or off' -r -f -a "on\t'On'
off\t'Off'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l hash -d 'Hash of the text in the index: xxh3 or sha256' -r -f -a "xxh3\t'XXH3 of 128 bits'
sha256\t'SHA-256'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s o -l output -d 'Output file; default or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l out-dir -d 'Convert each input to a file in this directory' -r -f -a "(__fish_complete_directories)"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l to -d 'Format [default: by extension, else mbt; csv from mbt]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l wire -d 'MATHLDBT version: 2 or 1 [default: 2]' -r -f -a "1\t'MATHLDBT v1'
2\t'MATHLDBT v2'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l preset -d 'Wire 2: fast, balanced or small [default: balanced]' -r -f -a "fast\t'Light encodings and lz4'
balanced\t'Light encodings and zstd at a low level'
small\t'Every encoding, and zstd at a high level'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l frame-rows -d 'Start a new frame every N rows; bounds memory' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l max-delay -d 'Flush waiting rows after this long when the input pauses: 500ms, 2s' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l encodings -d 'Wire 1: auto, plain or dict,delta [default: auto]' -r -f -a "auto\t'Whichever makes a column smaller'
plain\t'No encodings'
dict\t'Dictionary of the distinct values'
delta\t'Differences between consecutive integers'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s c -l codec -d 'none, zstd, gzip, lz4 or snappy [default: by extension]' -r -f -a "none\t'Uncompressed'
zstd\t'zstd, small and fast'
gzip\t'gzip, supported everywhere'
lz4\t'lz4, fastest'
snappy\t'snappy, for Parquet only'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s l -l level -d 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l checksum -d 'Checksum in each zstd frame: on or off [default: on]' -r -f -a "on\t'On'
off\t'Off'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l salvage -d 'Keep the intact parts of damaged frames'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l skip-existing -d 'With --out-dir: skip inputs whose output exists'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l index -d 'Wire 1: write an index after the frames'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -s n -l limit -d 'Number of rows to show of each input [default: 10]; -3 is -n 3' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l rows -d 'Show rows A..B, counted from 0, excluding B' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l sample -d 'Keep N rows chosen at random' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l seed -d 'Number that determines the sample [default: 0]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand head" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand head" -s x -l expanded -d 'Show each row as a list, a line per column'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l json -d 'Print a JSON array of rows instead of a table'
complete -c mbt -n "__fish_mbt_using_subcommand head" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand head" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -s n -l limit -d 'Number of rows to show of each input [default: 10]; -3 is -n 3' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -s x -l expanded -d 'Show each row as a list, a line per column'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -l json -d 'Print a JSON array of rows instead of a table'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand tail" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l top -d 'Number of frequent values per column in JSON' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l quick -d 'Show only the statistics stored in frames or Parquet, without reading values'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand stats" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand schema" -l json -d 'Print one JSON document'
complete -c mbt -n "__fish_mbt_using_subcommand schema" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand schema" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l max-record -d 'Reject text records longer than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l columns -d 'Keep these columns, in this order: a,b.c,\'d as e\'' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l where -d 'Keep rows that match a condition: \'price > 9.5\'' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l key -d 'Match rows by the values of these columns' -r -f -a "(__fish_mbt_columns)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand diff" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l show -d 'Number of rows that differ to show' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand diff" -l json -d 'Print one JSON document'
complete -c mbt -n "__fish_mbt_using_subcommand diff" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand diff" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l where -d 'With --frames: list only the frames that may contain a match' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l sort -d 'Sort columns: bytes or name [default: as in the file]' -r -f -a "bytes\t'Largest first'
name\t'By name'"
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l top -d 'Show the first N columns only' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l frame -d 'The frame to map or explain, counted from 0' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l preset -d 'Preset: fast, balanced or small [default: balanced]' -r -f -a "fast\t'Light encodings and lz4'
balanced\t'Light encodings and zstd at a low level'
small\t'Every encoding, and zstd at a high level'"
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l frames -d 'List the frames: offset, codec, rows, sizes, checksum'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l explain -d 'Show which encodings a frame\'s columns could use (wire 2)'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l layout -d 'Map the bytes of a frame, field by field'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l nested -d 'Show nested columns leaf by leaf'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l svg -d 'Print an SVG treemap of the bytes'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l source -d 'Also check that the restored text equals FILE' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l structure -d 'Check only the structure of frames and columns'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l deep -d 'Also check every value: UTF-8, JSON, bools'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l json -d 'Print one JSON document instead of lines'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s o -l output -d 'Output file; default or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s c -l codec -d 'none, zstd, gzip, lz4 or snappy [default: by extension]' -r -f -a "none\t'Uncompressed'
zstd\t'zstd, small and fast'
gzip\t'gzip, supported everywhere'
lz4\t'lz4, fastest'
snappy\t'snappy, for Parquet only'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s l -l level -d 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l checksum -d 'Checksum in each zstd frame: on or off [default: on]' -r -f -a "on\t'On'
off\t'Off'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l long -d 'Match repetitions up to 128 MiB apart (zstd)'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s o -l output -d 'Output file; default or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s T -l threads -d 'Number of threads [default: one per core]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l rows -d 'Use N generated rows of prices instead of a file' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l from -d 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
parquet\t'Parquet'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l encoding -d 'Encoding of text: utf-16le, latin1, ... [default: utf-8]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l records -d 'JSON: rows are the array at this path, such as data.items' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l max-frame -d 'Reject frames larger than this' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l delimiter -d 'Field delimiter: one byte, \\t or tab [default: detected]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l quote -d 'Quote character: one byte, or none [default: "]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l null -d 'Unquoted text that means null; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l comment -d 'Skip lines of the input that start with this, such as # or //' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l skip-lines -d 'Skip this many lines before the header of the input' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l decimal -d 'Decimal mark of numbers in the input: , or . [default: .]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l schema -d 'Set column types: a:i64,b:utf8, or @FILE' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l infer -d 'Type inference: exact, values or none' -r -f -a "exact\t'If every cell prints exactly as it was read'
values\t'If every cell parses and only its spelling is lost'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l link -d 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite' -r -f -a "lan\t''
wifi\t''
4g\t''
5g\t''
dsl\t''
fiber\t''
transatlantic\t''
satellite\t''"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l rtt-ms -d 'Round trip time in milliseconds [default: 30]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l mbit -d 'Bandwidth in Mbit/s (10^6 bits per second) [default: 100]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l model -d 'basic or tcp' -r -f -a "basic\t'One round trip, then full bandwidth'
tcp\t'A new TCP connection'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l tls -d 'Model tcp: TLS round trips [default: 0; --tls alone: 1]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l loss -d 'Model tcp: fraction of segments lost, such as 0.001' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l count -d 'Stream: the input is one message, sent N times' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l every-ms -d 'Stream: milliseconds between messages' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l payloads -d 'source,json,ndjson,csv,v1-plain,v1,v2,arrow,parquet' -r -f -a "(__fish_append , source json ndjson csv arrow parquet v1-plain v1 v2-fast v2-balanced v2-small)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l codecs -d 'none,lz4,gzip:6,zstd:1,zstd:3,zstd:9,zstd:19' -r -f -a "(__fish_append , none lz4 gzip:6 zstd:1 zstd:3 zstd:9 zstd:19)\t''"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l runs -d 'Minimum number of runs per time' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l format -d 'table, markdown, csv or json [default: table]' -r -f -a "table\t'For people'
markdown\t'For logs'
csv\t'For spreadsheets'
json\t'For programs'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l svg -d 'Plot total time over bandwidth as SVG' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l no-header -d 'The first line is data; columns are named by number'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l flexible -d 'Pad short rows, add columns for long ones'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l whole -d 'Measure all rows, however long it takes'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l json -d 'Same as --format json'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l chart -d 'Plot total time over bandwidth as text'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l force -d 'Replace an existing SVG file'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l samples -d 'Minimum number of samples per row [default: 30]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l time -d 'Minimum time per row in milliseconds [default: 300]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l starts -d 'Processes that measure each row [default: 3; file: 1]' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l rows -d 'Numbers of rows or terms, instead of the suite\'s own' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l filter -d 'Run only rows whose name contains TEXT; see --list' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l gate -d 'alloc: fail at N allocations per operation' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l log -d 'Log to append to' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l note -d 'Add a note to the entry; repeatable' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l quick -d 'Quick run: 10 samples and 30 ms per row'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l ram -d 'pages: also time a file in /dev/shm, data and hole'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l list -d 'List the names of the rows without measuring'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l no-log -d 'Do not write to a log'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -a "check-log" -d 'Check that no log entry was edited, and show a row\'s history'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -a "compare" -d 'Compare two entries row by row'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l row -d 'Show the history of rows whose name contains TEXT' -r -f
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l svg -d 'Plot the medians of these rows as SVG' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l force -d 'Replace an existing SVG file'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -l json -d 'Print one JSON document instead of a table'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "check-log" -d 'Check that no log entry was edited, and show a row\'s history'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Compare two entries row by row'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mbt -n "__fish_mbt_using_subcommand connect" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand connect" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand connect" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand completions" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand completions" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand completions" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand man" -l color -d 'When to color messages: auto, always or never' -r -f -a "auto\t'If stderr is a terminal'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand man" -s h -l help -d 'Print help: -h a summary, --help everything'
complete -c mbt -n "__fish_mbt_using_subcommand man" -s q -l quiet -d 'Suppress notes and progress on stderr'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "convert" -d 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "head" -d 'Show the first rows as a table'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "tail" -d 'Show the last rows as a table'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "stats" -d 'Show what the columns contain: range, mean, frequent values'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "schema" -d 'Print the schema of a file, or how two schemas differ'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "diff" -d 'Compare two files by value'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "inspect" -d 'Show how a file is stored: columns, encodings, sizes'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "verify" -d 'Check that MATHLDBT files are complete and undamaged'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "compress" -d 'Compress frames, or change their codec and level'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "decompress" -d 'Decompress frames'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "estimate" -d 'Estimate size and transfer time per format and codec over a link'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "bench" -d 'Benchmark this build and append the results to a log'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "connect" -d 'Print a module that connects other programs: Python, Spark'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "completions" -d 'Print a shell completion script'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "man" -d 'Write the manual pages to a directory'
complete -c mbt -n "__fish_mbt_using_subcommand help; and not __fish_seen_subcommand_from convert head tail stats schema diff inspect verify compress decompress estimate bench connect completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mbt -n "__fish_mbt_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "check-log" -d 'Check that no log entry was edited, and show a row\'s history'
complete -c mbt -n "__fish_mbt_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "compare" -d 'Compare two entries row by row'

function __fish_mbt_columns
    set -l current (string replace -r -- '^--(columns|key)=' '' (commandline -ct))
    mbt completions fish --columns="$current" -- (commandline -opc)[2..] 2>/dev/null
end
