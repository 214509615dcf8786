/** A unit of work reaches for an account that it did not name: what led there has changed since the names were gathered. */
export class NotLocked extends Error {
  override readonly name = 'NotLocked'

  constructor(account: number) {
    super(`account ${account} is not locked by this unit of work`)
  }
}
