/** A unit of work needs an account that it did not name, since the rows that lead there changed after the accounts were listed. */
export class NotLocked extends Error {
  override readonly name = 'NotLocked'

  constructor(account: number) {
    super(`account ${account} is not locked by this unit of work`)
  }
}
