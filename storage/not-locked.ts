/** A unit of work needs an account that it did not name, because the rows that refer to it changed after the accounts were listed. */
export class NotLocked extends Error {
  override readonly name = 'NotLocked'

  constructor(account: number) {
    super(`account ${account} is not locked by this unit of work`)
  }
}
