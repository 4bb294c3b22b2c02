# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mbt_global_optspecs
    string join \n h/help color= V/version
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

complete -c mbt -n "__fish_mbt_needs_command" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_needs_command" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_needs_command" -s V -l version -d 'Print version'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "convert" -d 'Convert between CSV, TSV, JSON, NDJSON, Arrow and MATHLDBT'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "head" -d 'Show the first rows as a table'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "inspect" -d 'Tell what is inside MATHLDBT files: columns, encodings, sizes'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "verify" -d 'Check that MATHLDBT files are whole'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "compress" -d 'Change the codec and level of frames, not their rows'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "decompress" -d 'Write frames as they are, without a codec'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "estimate" -d 'Tell bytes and transfer time per format and codec over a link'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "bench" -d 'Measure this build on this machine, and keep a log of it'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c mbt -n "__fish_mbt_needs_command" -f -a "man" -d 'Write the manual pages, which tell of every option'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l from -d 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l delimiter -d 'Between fields: one byte, \\t or tab [default: detected]' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l quote -d 'Character around fields: one byte, or none [default: "]' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l null -d 'Unquoted text that means null; repeatable, the first is written' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l schema -d 'Fix types by name: a:i64,b:utf8, or @FILE' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l infer -d 'exact, values or none: what a type must keep' -r -f -a "exact\t'If every cell prints back exactly as it was read'
values\t'If every cell parses and loses nothing but spelling'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l columns -d 'Keep these columns, in this order' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l where -d 'Keep rows that meet a condition: \'price > 9.5\'' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l rows -d 'Keep rows A to B, counted from 0, B not included' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l frames -d 'Keep frames A to B of MATHLDBT input' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l exact -d 'Give text back to the byte: on or off' -r -f -a "on\t'It is'
off\t'It is not'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s o -l output -d 'File to write; none or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l to -d 'Format [default: by extension, else mbt; csv from mbt]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l wire -d 'MATHLDBT 2, or 1 (all rows in one frame) [default: 2]' -r -f -a "1\t'MATHLDBT v1'
2\t'MATHLDBT v2'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l preset -d 'Wire 2: fast, balanced or small [default: balanced]' -r -f -a "fast\t'Light encodings and lz4'
balanced\t'Light encodings and zstd of a low level'
small\t'Everything, and zstd of a high level'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l frame-rows -d 'Begin a new frame every N rows; bounds memory' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l encodings -d 'Wire 1: auto, plain or dict,delta [default: auto]' -r -f -a "auto\t'Whichever makes a column smaller'
plain\t'None'
dict\t'Dictionary of the distinct values'
delta\t'Differences of neighbouring integers'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s c -l codec -d 'none, zstd, gzip or lz4 [default: by extension]' -r -f -a "none\t'Not at all'
zstd\t'zstd, small and fast'
gzip\t'gzip, read everywhere'
lz4\t'lz4, fastest'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s l -l level -d 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s T -l threads -d 'Threads to use [default: one per core]' -r
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l no-header -d 'The first line is data; columns are named by position'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l flexible -d 'Fill short rows with nulls; long ones make new columns'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l salvage -d 'Leave damaged frames out, read up to the break, and tell what was lost'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l index -d 'Wire 1: put an index behind the frames'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s q -l quiet -d 'Print no notes and no progress, only errors'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -l checksum -d 'Add a checksum to each frame (zstd; others have one)'
complete -c mbt -n "__fish_mbt_using_subcommand convert" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l from -d 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l delimiter -d 'Between fields: one byte, \\t or tab [default: detected]' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l quote -d 'Character around fields: one byte, or none [default: "]' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l null -d 'Unquoted text that means null; repeatable, the first is written' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l schema -d 'Fix types by name: a:i64,b:utf8, or @FILE' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l infer -d 'exact, values or none: what a type must keep' -r -f -a "exact\t'If every cell prints back exactly as it was read'
values\t'If every cell parses and loses nothing but spelling'
none\t'Never: every column is utf8'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l columns -d 'Keep these columns, in this order' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l where -d 'Keep rows that meet a condition: \'price > 9.5\'' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -s n -l rows -d 'How many rows to show' -r
complete -c mbt -n "__fish_mbt_using_subcommand head" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand head" -l no-header -d 'The first line is data; columns are named by position'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l flexible -d 'Fill short rows with nulls; long ones make new columns'
complete -c mbt -n "__fish_mbt_using_subcommand head" -l json -d 'Print a JSON array of rows instead of a table'
complete -c mbt -n "__fish_mbt_using_subcommand head" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l frame -d 'The frame to map or explain, counted from 0' -r
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l preset -d 'How hard --explain looks: fast, balanced or small [default: balanced]' -r -f -a "fast\t'Light encodings and lz4'
balanced\t'Light encodings and zstd of a low level'
small\t'Everything, and zstd of a high level'"
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l frames -d 'List the frames: place, codec, rows, sizes, checksum'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l explain -d 'Tell what encodings a frame\'s columns could have (wire 2)'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l layout -d 'Map the bytes of a frame, field by field'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand inspect" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l source -d 'Also that the text comes back: compare it with FILE' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l structure -d 'Only that frames and columns are where they should be'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l deep -d 'Also every value: UTF-8, JSON, bools'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -l json -d 'Print one JSON document instead of lines'
complete -c mbt -n "__fish_mbt_using_subcommand verify" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s o -l output -d 'File to write; none or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s c -l codec -d 'none, zstd, gzip or lz4 [default: by extension]' -r -f -a "none\t'Not at all'
zstd\t'zstd, small and fast'
gzip\t'gzip, read everywhere'
lz4\t'lz4, fastest'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s l -l level -d 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]' -r
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s T -l threads -d 'Threads to use [default: one per core]' -r
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s q -l quiet -d 'Print no notes and no progress, only errors'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l checksum -d 'Add a checksum to each frame (zstd; others have one)'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -l long -d 'Match repetitions up to 128 MiB apart (zstd)'
complete -c mbt -n "__fish_mbt_using_subcommand compress" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s o -l output -d 'File to write; none or - is stdout' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s T -l threads -d 'Threads to use [default: one per core]' -r
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -l force -d 'Replace an existing file; write binary to a terminal'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s q -l quiet -d 'Print no notes and no progress, only errors'
complete -c mbt -n "__fish_mbt_using_subcommand decompress" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l rows -d 'Instead of a file, N rows of prices made by a recipe' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l from -d 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]' -r -f -a "csv\t'Comma-separated values'
tsv\t'Tab-separated values'
json\t'A JSON array of objects'
ndjson\t'One JSON object per line'
arrow\t'Arrow IPC, stream or file'
mbt\t'MATHLDBT frames'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l max-frame -d 'Refuse frames with more plain bytes' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l delimiter -d 'Between fields: one byte, \\t or tab [default: detected]' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l quote -d 'Character around fields: one byte, or none [default: "]' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l null -d 'Unquoted text that means null; repeatable, the first is written' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l link -d 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l rtt-ms -d 'Round trip in milliseconds [default: 30]' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l mbit -d 'Bandwidth in 10^6 bits per second [default: 100]' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l model -d 'basic or tcp' -r -f -a "basic\t'One round trip, then full bandwidth'
tcp\t'A new TCP connection'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l tls -d 'Model tcp: round trips of TLS [default: 0, --tls alone: 1]' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l loss -d 'Model tcp: share of segments that are lost, as 0.001' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l count -d 'A stream: the input is a message, sent N times' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l every-ms -d 'A stream: milliseconds from message to message' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l payloads -d 'source, json, ndjson, csv, v1-plain, v1, v2, arrow' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l codecs -d 'none, lz4, gzip:6, zstd:1, zstd:3, zstd:9, zstd:19' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l runs -d 'Measure each time at least N times' -r
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l format -d 'table, markdown, csv or json [default: table]' -r -f -a "table\t'For eyes'
markdown\t'For logs'
csv\t'For spreadsheets'
json\t'For programs'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l svg -d 'Draw it as a picture, too' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l no-header -d 'The first line is data; columns are named by position'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l flexible -d 'Fill short rows with nulls; long ones make new columns'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l whole -d 'Measure all rows, however long it takes'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l json -d 'The same as --format json'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l chart -d 'Draw total time over bandwidth as text'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -l force -d 'Replace an existing picture'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -s q -l quiet -d 'Print no notes and no progress, only errors'
complete -c mbt -n "__fish_mbt_using_subcommand estimate" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l samples -d 'Samples per row at least [default: 30]' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l time -d 'Milliseconds per row at least [default: 300]' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l rows -d 'Rows or terms, instead of the suite\'s own numbers' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l filter -d 'Only rows whose name contains TEXT; --list shows the names' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l gate -d 'alloc: fail at N allocations per operation' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l log -d 'Log to append an entry per suite to' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l note -d 'Say more in the entry; repeatable' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l progress -d 'When to show progress on stderr: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l quick -d 'Less of everything, for a look: 10 samples, 30 ms'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l ram -d 'pages: also reads of data and of a hole in memory'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l list -d 'Names of the rows, nothing is measured'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l no-log -d 'Append nothing to a log'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -s q -l quiet -d 'Print no notes and no progress, only errors'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -a "check-log" -d 'Check that no entry of a log was edited, and show how a row went'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and not __fish_seen_subcommand_from check-log compare" -a "compare" -d 'Compare the rows of two entries'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l row -d 'Show rows whose name contains TEXT, entry by entry' -r
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l svg -d 'Draw the medians of these rows over the entries' -r -F
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -l json -d 'Print one JSON document instead of tables'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from check-log" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -l json -d 'Print one JSON document instead of a table'
complete -c mbt -n "__fish_mbt_using_subcommand bench; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand completions" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand completions" -s h -l help -d 'Print help'
complete -c mbt -n "__fish_mbt_using_subcommand man" -l color -d 'When to colour messages: auto, always or never' -r -f -a "auto\t'Where it makes sense'
always\t'Always'
never\t'Never'"
complete -c mbt -n "__fish_mbt_using_subcommand man" -s h -l help -d 'Print help'
