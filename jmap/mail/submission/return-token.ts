/** The content of a return address (mta/reports/verp.ts). */
export interface ReturnToken {
  /** Number of the mailbox's account, and of the EmailSubmission in it. */
  readonly account: number
  readonly submission: number
  /** Index of the recipient in the envelope. */
  readonly position: number
  /** True: the message was sent to the address. False: the message only mentions it. */
  readonly isAddressee: boolean
}
