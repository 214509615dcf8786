/** RFC 4180 by csv-parse and csv-stringify, as streams. */
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { CSV_RECORD_MAX_CHARS } from './audience-limits.ts'

/** The text is no CSV. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

/**
 * Records in order, as they arrive. A byte order mark and empty lines are skipped; records may differ in length.
 * @throws CsvFault for quotes out of place and records that are too long, with the line, and for text that is not in UTF-8
 */
export async function* readRecords(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string[]> {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: CSV_RECORD_MAX_CHARS,
  })
  const source = Readable.from(inUtf8(chunks))
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  try {
    for await (const record of parser) yield record as string[]
  } catch (error) {
    throw error instanceof CsvError ? new CsvFault(faultOf(error)) : error
  } finally {
    source.destroy()
  }
}

/** The same octets. Without this, names of a file in another encoding would be stored with marks in place of their letters. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const check = (chunk?: Uint8Array) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new CsvFault('the text is not in UTF-8')
    }
  }
  for await (const chunk of chunks) {
    check(chunk)
    yield chunk
  }
  check()
}

function faultOf(error: CsvError): string {
  const line = Number(error['lines'] ?? 0)
  const words = error.code === 'CSV_MAX_RECORD_SIZE' ? 'a record is too long' : 'a quote is out of place'
  return line > 0 ? `${words} near line ${line}` : words
}

/** A record with its line end. Spreadsheets run text that begins like a formula, so that it gets a `'` in front. */
export function csvLine(cells: readonly string[]): string {
  return stringify([cells.map((cell) => cell.replaceAll(FORMULA, "'"))], { record_delimiter: '\r\n' })
}

/** What `csvLine` has put in front is removed. */
export function plainCell(cell: string): string {
  return cell.replaceAll(MARKED_FORMULA, '')
}

/**
 * Where a formula begins: at the start of a cell, and within it behind what spreadsheets in many languages separate cells by (`;`, tabs, line
 * ends), since they look for no quotes within text. Also in full width, which some spreadsheets take too, and behind the `'` itself, so that
 * reading is the inverse of writing.
 */
const FORMULA = /^(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])(?='*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const MARKED_FORMULA =
  /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])'(?='*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
