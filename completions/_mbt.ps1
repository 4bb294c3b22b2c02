
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'mbt' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'mbt'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'mbt' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Convert between CSV, TSV, JSON, NDJSON, Arrow and MATHLDBT')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Show the first rows as a table')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Tell what is inside MATHLDBT files: columns, encodings, sizes')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that MATHLDBT files are whole')
            [CompletionResult]::new('compress', 'compress', [CompletionResultType]::ParameterValue, 'Change the codec and level of frames, not their rows')
            [CompletionResult]::new('decompress', 'decompress', [CompletionResultType]::ParameterValue, 'Write frames as they are, without a codec')
            [CompletionResult]::new('estimate', 'estimate', [CompletionResultType]::ParameterValue, 'Tell bytes and transfer time per format and codec over a link')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure this build on this machine, and keep a log of it')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the manual pages, which tell of every option')
            break
        }
        'mbt;convert' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Between fields: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Character around fields: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable, the first is written')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Fix types by name: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'exact, values or none: what a type must keep')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that meet a condition: ''price > 9.5''')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Keep rows A to B, counted from 0, B not included')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'Keep frames A to B of MATHLDBT input')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Give text back to the byte: on or off')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Format [default: by extension, else mbt; csv from mbt]')
            [CompletionResult]::new('--wire', '--wire', [CompletionResultType]::ParameterName, 'MATHLDBT 2, or 1 (all rows in one frame) [default: 2]')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Wire 2: fast, balanced or small [default: balanced]')
            [CompletionResult]::new('--frame-rows', '--frame-rows', [CompletionResultType]::ParameterName, 'Begin a new frame every N rows; bounds memory')
            [CompletionResult]::new('--encodings', '--encodings', [CompletionResultType]::ParameterName, 'Wire 1: auto, plain or dict,delta [default: auto]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'none, zstd, gzip or lz4 [default: by extension]')
            [CompletionResult]::new('--codec', '--codec', [CompletionResultType]::ParameterName, 'none, zstd, gzip or lz4 [default: by extension]')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--level', '--level', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by position')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Fill short rows with nulls; long ones make new columns')
            [CompletionResult]::new('--salvage', '--salvage', [CompletionResultType]::ParameterName, 'Leave damaged frames out, read up to the break, and tell what was lost')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Wire 1: put an index behind the frames')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Add a checksum to each frame (zstd; others have one)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;head' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Between fields: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Character around fields: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable, the first is written')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Fix types by name: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'exact, values or none: what a type must keep')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that meet a condition: ''price > 9.5''')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'How many rows to show')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'How many rows to show')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by position')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Fill short rows with nulls; long ones make new columns')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON array of rows instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;inspect' {
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'The frame to map or explain, counted from 0')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'How hard --explain looks: fast, balanced or small [default: balanced]')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'List the frames: place, codec, rows, sizes, checksum')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Tell what encodings a frame''s columns could have (wire 2)')
            [CompletionResult]::new('--layout', '--layout', [CompletionResultType]::ParameterName, 'Map the bytes of a frame, field by field')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;verify' {
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Also that the text comes back: compare it with FILE')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--structure', '--structure', [CompletionResultType]::ParameterName, 'Only that frames and columns are where they should be')
            [CompletionResult]::new('--deep', '--deep', [CompletionResultType]::ParameterName, 'Also every value: UTF-8, JSON, bools')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of lines')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;compress' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'none, zstd, gzip or lz4 [default: by extension]')
            [CompletionResult]::new('--codec', '--codec', [CompletionResultType]::ParameterName, 'none, zstd, gzip or lz4 [default: by extension]')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--level', '--level', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Add a checksum to each frame (zstd; others have one)')
            [CompletionResult]::new('--long', '--long', [CompletionResultType]::ParameterName, 'Match repetitions up to 128 MiB apart (zstd)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;decompress' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'File to write; none or - is stdout')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to use [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;estimate' {
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Instead of a file, N rows of prices made by a recipe')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, mbt [default: guessed]')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Refuse frames with more plain bytes')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Between fields: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Character around fields: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable, the first is written')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite')
            [CompletionResult]::new('--rtt-ms', '--rtt-ms', [CompletionResultType]::ParameterName, 'Round trip in milliseconds [default: 30]')
            [CompletionResult]::new('--mbit', '--mbit', [CompletionResultType]::ParameterName, 'Bandwidth in 10^6 bits per second [default: 100]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'basic or tcp')
            [CompletionResult]::new('--tls', '--tls', [CompletionResultType]::ParameterName, 'Model tcp: round trips of TLS [default: 0, --tls alone: 1]')
            [CompletionResult]::new('--loss', '--loss', [CompletionResultType]::ParameterName, 'Model tcp: share of segments that are lost, as 0.001')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'A stream: the input is a message, sent N times')
            [CompletionResult]::new('--every-ms', '--every-ms', [CompletionResultType]::ParameterName, 'A stream: milliseconds from message to message')
            [CompletionResult]::new('--payloads', '--payloads', [CompletionResultType]::ParameterName, 'source, json, ndjson, csv, v1-plain, v1, v2, arrow')
            [CompletionResult]::new('--codecs', '--codecs', [CompletionResultType]::ParameterName, 'none, lz4, gzip:6, zstd:1, zstd:3, zstd:9, zstd:19')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Measure each time at least N times')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'table, markdown, csv or json [default: table]')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Draw it as a picture, too')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by position')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Fill short rows with nulls; long ones make new columns')
            [CompletionResult]::new('--whole', '--whole', [CompletionResultType]::ParameterName, 'Measure all rows, however long it takes')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as --format json')
            [CompletionResult]::new('--chart', '--chart', [CompletionResultType]::ParameterName, 'Draw total time over bandwidth as text')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing picture')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;bench' {
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Samples per row at least [default: 30]')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'Milliseconds per row at least [default: 300]')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Rows or terms, instead of the suite''s own numbers')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only rows whose name contains TEXT; --list shows the names')
            [CompletionResult]::new('--gate', '--gate', [CompletionResultType]::ParameterName, 'alloc: fail at N allocations per operation')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Log to append an entry per suite to')
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'Say more in the entry; repeatable')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Less of everything, for a look: 10 samples, 30 ms')
            [CompletionResult]::new('--ram', '--ram', [CompletionResultType]::ParameterName, 'pages: also reads of data and of a hole in memory')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Names of the rows, nothing is measured')
            [CompletionResult]::new('--no-log', '--no-log', [CompletionResultType]::ParameterName, 'Append nothing to a log')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no notes and no progress, only errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('check-log', 'check-log', [CompletionResultType]::ParameterValue, 'Check that no entry of a log was edited, and show how a row went')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare the rows of two entries')
            break
        }
        'mbt;bench;check-log' {
            [CompletionResult]::new('--row', '--row', [CompletionResultType]::ParameterName, 'Show rows whose name contains TEXT, entry by entry')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Draw the medians of these rows over the entries')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;bench;compare' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'mbt;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
