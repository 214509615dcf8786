/** What webhooks may ask for (spec/contract.tsv, Events), and what only a test of one sends; for doors that do not see storage. */
export { EVENT_TYPES, TEST_EVENT } from '../../../storage/repos/events.ts'
