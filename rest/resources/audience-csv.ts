import { exportCsv, importCsv } from '../../jmap/newsletters/csv/transfer.ts'
import { ADD_OUTCOMES, type AddOutcome } from '../../jmap/newsletters/subscriber/subscriber.type.ts'
import {
  AUDIENCE_EXPORT_PAGE,
  AUDIENCE_IMPORT_MAX_BYTES,
  AUDIENCE_IMPORT_MAX_ROWS,
  CSV_COLUMNS_MAX,
} from '../../server/base/audience-limits.ts'
import { CsvFault } from '../../server/base/csv.ts'
import { get, idsOf, inOrder, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { audiencesOf, TAG } from './audiences.ts'
import { addRows } from './subscribers.ts'

export const exportAudience = endpoint({
  method: 'GET',
  path: '/v1/audiences/{audience_id}/export',
  operationId: 'exportAudience',
  tag: TAG,
  summary: "Export an audience's subscribers as CSV, newest first",
  description:
    "RFC 4180, with the columns email_address, display_name, status, merge_fields (a JSON object), consent_source, created_at, updated_at. Text that a spreadsheet would run as a formula has a `'` in front. The file can be imported.",
  scope: 'audiences:read',
  wholeOrganization: true,
  textType: 'text/csv',
  errors: ['not_found'],
  async stream(input, jmap) {
    const { organization: accountId } = input
    const { id: audienceId } = await audiencesOf(input).read(jmap, accountId, input.params.audience_id)
    const { state } = await stateOf(jmap, accountId)
    const pages = exportCsv(async (before) => {
      const filter = { audienceId, ...(before !== null && { beforeId: before }) }
      const { matching, found } = await jmap.call({
        matching: query('Subscriber', { accountId, filter, limit: AUDIENCE_EXPORT_PAGE }),
        found: get('Subscriber', { accountId, '#ids': idsOf('matching', 'Subscriber') }),
      })
      return inOrder(matching.ids, found.list)
    })
    return { type: 'text/csv; charset=utf-8', name: `${audienceId}.csv`, tag: `${audienceId}.${state}`, pages }
  },
})

/** The state before the first page is read. */
async function stateOf(jmap: JmapClient, accountId: string) {
  const { none } = await jmap.call({ none: get('Subscriber', { accountId, ids: [] }) })
  return none
}

const Outcomes = s.object(
  Object.fromEntries(ADD_OUTCOMES.map((outcome) => [outcome, s.integer()])) as Record<AddOutcome, s.Schema<number>>,
)

export const importAudience = endpoint({
  method: 'POST',
  path: '/v1/audiences/{audience_id}/import',
  operationId: 'importAudience',
  tag: TAG,
  summary: 'Add the subscribers of a CSV file',
  description: `RFC 4180, in UTF-8, with at most ${AUDIENCE_IMPORT_MAX_ROWS} rows and ${CSV_COLUMNS_MAX} columns. The first line names the columns: email_address, display_name, merge_fields (a JSON object); every other column is a merge field. The rules are those of addSubscribers, by batches of 1,000 rows. A file that is no CSV adds nothing. Importing a file again changes nothing but what is new in it.`,
  scope: 'audiences:write',
  wholeOrganization: true,
  bodyType: 'text/csv',
  bodyLimit: AUDIENCE_IMPORT_MAX_BYTES,
  body: s.octets(`CSV of at most ${AUDIENCE_IMPORT_MAX_BYTES} octets.`),
  response: s.resource('AudienceImport', 'audience_import', {
    audience_id: s.id('aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    rows: s.integer(),
    outcomes: Outcomes,
    results: s.array(
      s.object({
        record: s.integer({ description: 'Number of the record in the file; the first line is 1.', examples: [2] }),
        email_address: s.string(),
        outcome: s.oneOf(ADD_OUTCOMES),
      }),
    ),
  }),
  errors: ['not_found'],
  async run(input, jmap) {
    const { organization: accountId } = input
    const { id } = await audiencesOf(input).read(jmap, accountId, input.params.audience_id)
    const bytes = [input.body]
    // A file with a fault adds nothing: it is read as a whole before.
    await drain(importCsv(bytes, async () => [], AUDIENCE_IMPORT_MAX_ROWS)).catch((error: unknown) => {
      throw error instanceof CsvFault
        ? invalid(null, 'invalid_format', `The file cannot be imported: ${error.message}.`)
        : error
    })
    const batches = await drain(importCsv(bytes, (rows) => addRows(jmap, accountId, id, rows)))
    const results = batches.flat().map(({ record, email, outcome }) => ({ record, email_address: email, outcome }))
    const counts = Object.fromEntries(ADD_OUTCOMES.map((outcome) => [outcome, 0])) as Record<AddOutcome, number>
    for (const { outcome } of results) counts[outcome]++
    return { object: 'audience_import' as const, audience_id: id, rows: results.length, outcomes: counts, results }
  },
})

async function drain<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export const audienceCsvEndpoints = [exportAudience, importAudience]
