
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
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Show the first rows as a table')
            [CompletionResult]::new('tail', 'tail', [CompletionResultType]::ParameterValue, 'Show the last rows as a table')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Show what the columns contain: range, mean, frequent values')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the schema of a file, or how two schemas differ')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two files by value')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show how a file is stored: columns, encodings, sizes')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that MATHLDBT files are complete and undamaged')
            [CompletionResult]::new('compress', 'compress', [CompletionResultType]::ParameterValue, 'Compress frames, or change their codec and level')
            [CompletionResult]::new('decompress', 'decompress', [CompletionResultType]::ParameterValue, 'Decompress frames')
            [CompletionResult]::new('estimate', 'estimate', [CompletionResultType]::ParameterValue, 'Estimate size and transfer time per format and codec over a link')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Benchmark this build and append the results to a log')
            [CompletionResult]::new('connect', 'connect', [CompletionResultType]::ParameterValue, 'Print a module that connects other programs: Python, Spark')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the manual pages to a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'mbt;convert' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Keep rows A..B, counted from 0, excluding B')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Keep at most N of the selected rows')
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'Keep N rows chosen at random')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Number that determines the sample [default: 0]')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'Keep frames A..B of MATHLDBT input')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Restore text byte for byte: on or off')
            [CompletionResult]::new('--hash', '--hash', [CompletionResultType]::ParameterName, 'Hash of the text in the index: xxh3 or sha256')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--out-dir', '--out-dir', [CompletionResultType]::ParameterName, 'Convert each input to a file in this directory')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Format [default: by extension, else mbt; csv from mbt]')
            [CompletionResult]::new('--wire', '--wire', [CompletionResultType]::ParameterName, 'MATHLDBT version: 2 or 1 [default: 2]')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Wire 2: fast, balanced or small [default: balanced]')
            [CompletionResult]::new('--frame-rows', '--frame-rows', [CompletionResultType]::ParameterName, 'Start a new frame every N rows; bounds memory')
            [CompletionResult]::new('--max-delay', '--max-delay', [CompletionResultType]::ParameterName, 'Flush waiting rows after this long when the input pauses: 500ms, 2s')
            [CompletionResult]::new('--encodings', '--encodings', [CompletionResultType]::ParameterName, 'Wire 1: auto, plain or dict,delta [default: auto]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'none, zstd, gzip, lz4 or snappy [default: by extension]')
            [CompletionResult]::new('--codec', '--codec', [CompletionResultType]::ParameterName, 'none, zstd, gzip, lz4 or snappy [default: by extension]')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--level', '--level', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Checksum in each zstd frame: on or off [default: on]')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('--salvage', '--salvage', [CompletionResultType]::ParameterName, 'Keep the intact parts of damaged frames')
            [CompletionResult]::new('--skip-existing', '--skip-existing', [CompletionResultType]::ParameterName, 'With --out-dir: skip inputs whose output exists')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Wire 1: write an index after the frames')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;head' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Number of rows to show of each input [default: 10]; -3 is -n 3')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Number of rows to show of each input [default: 10]; -3 is -n 3')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Show rows A..B, counted from 0, excluding B')
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'Keep N rows chosen at random')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Number that determines the sample [default: 0]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Show each row as a list, a line per column')
            [CompletionResult]::new('--expanded', '--expanded', [CompletionResultType]::ParameterName, 'Show each row as a list, a line per column')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON array of rows instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;tail' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Number of rows to show of each input [default: 10]; -3 is -n 3')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Number of rows to show of each input [default: 10]; -3 is -n 3')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Show each row as a list, a line per column')
            [CompletionResult]::new('--expanded', '--expanded', [CompletionResultType]::ParameterName, 'Show each row as a list, a line per column')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON array of rows instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;stats' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Number of frequent values per column in JSON')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Show only the statistics stored in frames or Parquet, without reading values')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;schema' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;diff' {
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--max-record', '--max-record', [CompletionResultType]::ParameterName, 'Reject text records longer than this')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Keep these columns, in this order: a,b.c,''d as e''')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Keep rows that match a condition: ''price > 9.5''')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'Match rows by the values of these columns')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--show', '--show', [CompletionResultType]::ParameterName, 'Number of rows that differ to show')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;inspect' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'With --frames: list only the frames that may contain a match')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Sort columns: bytes or name [default: as in the file]')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Show the first N columns only')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'The frame to map or explain, counted from 0')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Preset: fast, balanced or small [default: balanced]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'List the frames: offset, codec, rows, sizes, checksum')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show which encodings a frame''s columns could use (wire 2)')
            [CompletionResult]::new('--layout', '--layout', [CompletionResultType]::ParameterName, 'Map the bytes of a frame, field by field')
            [CompletionResult]::new('--nested', '--nested', [CompletionResultType]::ParameterName, 'Show nested columns leaf by leaf')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Print an SVG treemap of the bytes')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;verify' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Also check that the restored text equals FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--structure', '--structure', [CompletionResultType]::ParameterName, 'Check only the structure of frames and columns')
            [CompletionResult]::new('--deep', '--deep', [CompletionResultType]::ParameterName, 'Also check every value: UTF-8, JSON, bools')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of lines')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;compress' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'none, zstd, gzip, lz4 or snappy [default: by extension]')
            [CompletionResult]::new('--codec', '--codec', [CompletionResultType]::ParameterName, 'none, zstd, gzip, lz4 or snappy [default: by extension]')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--level', '--level', [CompletionResultType]::ParameterName, 'zstd -7 to 22 [default: 3], gzip 0 to 9 [default: 6]')
            [CompletionResult]::new('--checksum', '--checksum', [CompletionResultType]::ParameterName, 'Checksum in each zstd frame: on or off [default: on]')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('--long', '--long', [CompletionResultType]::ParameterName, 'Match repetitions up to 128 MiB apart (zstd)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;decompress' {
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output file; default or - is stdout')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file; write binary to a terminal')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;estimate' {
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Use N generated rows of prices instead of a file')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'csv, tsv, json, ndjson, arrow, parquet, mbt [default: detected]')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Encoding of text: utf-16le, latin1, ... [default: utf-8]')
            [CompletionResult]::new('--records', '--records', [CompletionResultType]::ParameterName, 'JSON: rows are the array at this path, such as data.items')
            [CompletionResult]::new('--max-frame', '--max-frame', [CompletionResultType]::ParameterName, 'Reject frames larger than this')
            [CompletionResult]::new('--delimiter', '--delimiter', [CompletionResultType]::ParameterName, 'Field delimiter: one byte, \t or tab [default: detected]')
            [CompletionResult]::new('--quote', '--quote', [CompletionResultType]::ParameterName, 'Quote character: one byte, or none [default: "]')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'Unquoted text that means null; repeatable')
            [CompletionResult]::new('--comment', '--comment', [CompletionResultType]::ParameterName, 'Skip lines of the input that start with this, such as # or //')
            [CompletionResult]::new('--skip-lines', '--skip-lines', [CompletionResultType]::ParameterName, 'Skip this many lines before the header of the input')
            [CompletionResult]::new('--decimal', '--decimal', [CompletionResultType]::ParameterName, 'Decimal mark of numbers in the input: , or . [default: .]')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Set column types: a:i64,b:utf8, or @FILE')
            [CompletionResult]::new('--infer', '--infer', [CompletionResultType]::ParameterName, 'Type inference: exact, values or none')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'lan, wifi, 4g, 5g, dsl, fiber, transatlantic, satellite')
            [CompletionResult]::new('--rtt-ms', '--rtt-ms', [CompletionResultType]::ParameterName, 'Round trip time in milliseconds [default: 30]')
            [CompletionResult]::new('--mbit', '--mbit', [CompletionResultType]::ParameterName, 'Bandwidth in Mbit/s (10^6 bits per second) [default: 100]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'basic or tcp')
            [CompletionResult]::new('--tls', '--tls', [CompletionResultType]::ParameterName, 'Model tcp: TLS round trips [default: 0; --tls alone: 1]')
            [CompletionResult]::new('--loss', '--loss', [CompletionResultType]::ParameterName, 'Model tcp: fraction of segments lost, such as 0.001')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Stream: the input is one message, sent N times')
            [CompletionResult]::new('--every-ms', '--every-ms', [CompletionResultType]::ParameterName, 'Stream: milliseconds between messages')
            [CompletionResult]::new('--payloads', '--payloads', [CompletionResultType]::ParameterName, 'source,json,ndjson,csv,v1-plain,v1,v2,arrow,parquet')
            [CompletionResult]::new('--codecs', '--codecs', [CompletionResultType]::ParameterName, 'none,lz4,gzip:6,zstd:1,zstd:3,zstd:9,zstd:19')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Minimum number of runs per time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'table, markdown, csv or json [default: table]')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Plot total time over bandwidth as SVG')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--no-header', '--no-header', [CompletionResultType]::ParameterName, 'The first line is data; columns are named by number')
            [CompletionResult]::new('--flexible', '--flexible', [CompletionResultType]::ParameterName, 'Pad short rows, add columns for long ones')
            [CompletionResult]::new('--whole', '--whole', [CompletionResultType]::ParameterName, 'Measure all rows, however long it takes')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Same as --format json')
            [CompletionResult]::new('--chart', '--chart', [CompletionResultType]::ParameterName, 'Plot total time over bandwidth as text')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing SVG file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;bench' {
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Minimum number of samples per row [default: 30]')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'Minimum time per row in milliseconds [default: 300]')
            [CompletionResult]::new('--starts', '--starts', [CompletionResultType]::ParameterName, 'Processes that measure each row [default: 3; file: 1]')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Numbers of rows or terms, instead of the suite''s own')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Run only rows whose name contains TEXT; see --list')
            [CompletionResult]::new('--gate', '--gate', [CompletionResultType]::ParameterName, 'alloc: fail at N allocations per operation')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Log to append to')
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'Add a note to the entry; repeatable')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'When to show progress on stderr: auto, always or never')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Quick run: 10 samples and 30 ms per row')
            [CompletionResult]::new('--ram', '--ram', [CompletionResultType]::ParameterName, 'pages: also time a file in /dev/shm, data and hole')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the names of the rows without measuring')
            [CompletionResult]::new('--no-log', '--no-log', [CompletionResultType]::ParameterName, 'Do not write to a log')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('check-log', 'check-log', [CompletionResultType]::ParameterValue, 'Check that no log entry was edited, and show a row''s history')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two entries row by row')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'mbt;bench;check-log' {
            [CompletionResult]::new('--row', '--row', [CompletionResultType]::ParameterName, 'Show the history of rows whose name contains TEXT')
            [CompletionResult]::new('--svg', '--svg', [CompletionResultType]::ParameterName, 'Plot the medians of these rows as SVG')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing SVG file')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;bench;compare' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;bench;help' {
            [CompletionResult]::new('check-log', 'check-log', [CompletionResultType]::ParameterValue, 'Check that no log entry was edited, and show a row''s history')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two entries row by row')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'mbt;bench;help;check-log' {
            break
        }
        'mbt;bench;help;compare' {
            break
        }
        'mbt;bench;help;help' {
            break
        }
        'mbt;connect' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color messages: auto, always or never')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h a summary, --help everything')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes and progress on stderr')
            break
        }
        'mbt;help' {
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Convert between CSV, TSV, JSON, NDJSON, Arrow, Parquet and MATHLDBT')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Show the first rows as a table')
            [CompletionResult]::new('tail', 'tail', [CompletionResultType]::ParameterValue, 'Show the last rows as a table')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Show what the columns contain: range, mean, frequent values')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the schema of a file, or how two schemas differ')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two files by value')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show how a file is stored: columns, encodings, sizes')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that MATHLDBT files are complete and undamaged')
            [CompletionResult]::new('compress', 'compress', [CompletionResultType]::ParameterValue, 'Compress frames, or change their codec and level')
            [CompletionResult]::new('decompress', 'decompress', [CompletionResultType]::ParameterValue, 'Decompress frames')
            [CompletionResult]::new('estimate', 'estimate', [CompletionResultType]::ParameterValue, 'Estimate size and transfer time per format and codec over a link')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Benchmark this build and append the results to a log')
            [CompletionResult]::new('connect', 'connect', [CompletionResultType]::ParameterValue, 'Print a module that connects other programs: Python, Spark')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the manual pages to a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'mbt;help;convert' {
            break
        }
        'mbt;help;head' {
            break
        }
        'mbt;help;tail' {
            break
        }
        'mbt;help;stats' {
            break
        }
        'mbt;help;schema' {
            break
        }
        'mbt;help;diff' {
            break
        }
        'mbt;help;inspect' {
            break
        }
        'mbt;help;verify' {
            break
        }
        'mbt;help;compress' {
            break
        }
        'mbt;help;decompress' {
            break
        }
        'mbt;help;estimate' {
            break
        }
        'mbt;help;bench' {
            [CompletionResult]::new('check-log', 'check-log', [CompletionResultType]::ParameterValue, 'Check that no log entry was edited, and show a row''s history')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two entries row by row')
            break
        }
        'mbt;help;bench;check-log' {
            break
        }
        'mbt;help;bench;compare' {
            break
        }
        'mbt;help;connect' {
            break
        }
        'mbt;help;completions' {
            break
        }
        'mbt;help;man' {
            break
        }
        'mbt;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
