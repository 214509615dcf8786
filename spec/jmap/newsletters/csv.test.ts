import t from 'tap'
import { type ImportedRow, importCsv } from '../../../jmap/newsletters/csv/transfer.ts'
import { CSV_COLUMNS_MAX } from '../../../server/base/audience-limits.ts'
import { CsvFault, csvLine, plainCell } from '../../../server/base/csv.ts'
import type { JsonObject } from '../../../server/base/json.ts'

/** The rows that a file adds, or what is wrong with it. */
async function rowsOf(...chunks: (string | Uint8Array)[]): Promise<JsonObject[] | string> {
  const rows: JsonObject[] = []
  const add = async (batch: readonly JsonObject[]): Promise<Pick<ImportedRow, 'email' | 'outcome'>[]> => {
    rows.push(...batch)
    return batch.map(() => ({ email: '', outcome: 'created' }))
  }
  try {
    const octets = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
    for await (const _ of importCsv(octets, add)) void _
    return rows
  } catch (error) {
    if (error instanceof CsvFault) return error.message
    throw error
  }
}

t.test('text in another encoding than UTF-8 is refused, not garbled', async (t) => {
  const file = 'email,name\r\na@x.example,Jos\u00e9\r\n'
  t.equal(await rowsOf(Buffer.from(file, 'latin1')), 'the text is not in UTF-8')
  t.equal(await rowsOf(Buffer.from(`\ufeff${file}`, 'utf16le')), 'the text is not in UTF-8')
  t.equal(await rowsOf(Buffer.from(file).subarray(0, -3)), 'the text is not in UTF-8', 'cut off in a letter')
  const octets = Buffer.from(`\ufeff${file}`)
  const pieces = [...octets].map((octet) => Uint8Array.of(octet))
  t.match(await rowsOf(...pieces), [{ email: 'a@x.example', displayName: 'Jos\u00e9' }], 'control: octet by octet')
})

t.test('columns that would be one are refused', async (t) => {
  t.equal(await rowsOf('email,City,city\n'), 'the first line names the column city twice')
  t.equal(await rowsOf('email_address,E-Mail\n'), 'the columns email_address and E-Mail of the first line are the same')
  t.equal(
    await rowsOf('email,First name,first_name\n'),
    'the columns First name and first_name of the first line are the same',
  )
  t.match(
    await rowsOf('email,status,id,constructor\na@x.example,1,2,x'),
    [{ mergeFields: { constructor: 'x' } }],
    'control',
  )
})

t.test('a first line has so many columns and no more', async (t) => {
  const many = Array.from({ length: 20_000 }, (_, i) => `c${i}`).join(',')
  t.equal(await rowsOf(`email,${many}\n`), `the first line names more than ${CSV_COLUMNS_MAX} columns`)
  const most = Array.from({ length: CSV_COLUMNS_MAX - 1 }, (_, i) => `c${i}`).join(',')
  t.match(await rowsOf(`email,${most}\na@x.example\n`), [{ email: 'a@x.example' }], 'control')
})

t.test('names of JSON that are names of every object are fields like others', async (t) => {
  const [row] = (await rowsOf('email,merge_fields\na@x.example,"{""__proto__"":""x""}"\n')) as JsonObject[]
  t.same(Object.keys(row!['mergeFields']!), ['__proto__'], 'Subscriber/add refuses the name')
})

t.test('no cell begins like a formula, and reading is the inverse of writing', async (t) => {
  for (const cell of [
    '=1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\r=1',
    '\n=1',
    '\uff1d1',
    '\uff0b1',
    '\uff0d1',
    '\uff201',
    "'=1",
    "''@",
  ]) {
    const line = csvLine([cell])
    t.match(line, /^"?'/, JSON.stringify(cell))
    const [header, row] = [csvLine(['email', 'name']), csvLine(['a@x.example', cell])]
    t.match(await rowsOf(header, row), [{ displayName: cell }])
  }
  for (const cell of ['x;=1', 'x;\t=1', 'x\n=1', 'x\r\n@y', "x;'=1", "x;''=1;+2;'", 'x;\uff1d1']) {
    const line = csvLine([cell])
    t.notMatch(line, /[;\t\r\n][=+\-@\uff1d]/, `${JSON.stringify(cell)}, where cells are separated by ; or tabs`)
    t.match(await rowsOf(csvLine(['email', 'name']), csvLine(['a@x.example', cell])), [{ displayName: cell }])
  }
  for (const cell of ['x=1', "'x", 'a-b', "x;y'=", 'x; -1']) t.equal(csvLine([cell]), `${cell}\r\n`, 'control')
  t.equal(plainCell("'x"), "'x")
})
