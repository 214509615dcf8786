/** What webhooks may ask for (the contract's section Events), and what only a test of one sends; for doors that do not see storage. */
export { EVENT_TYPES, TEST_EVENT } from '../../../storage/repos/events.ts'
