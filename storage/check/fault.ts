export interface Fault {
  /** Account number; 0 for what belongs to no account. */
  readonly account: number
  /** What is wrong, such as `mailbox-count`, `blob-reference`. */
  readonly kind: string
  readonly detail: string
}
