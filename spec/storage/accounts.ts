import type { Store } from '../../storage/ports.ts'

/** Creates an empty mailbox account. @returns its number */
export function newAccount(store: Store): Promise<number> {
  return store.write([], async (unit) => {
    const { account } = await unit.createAccount({ kind: 'mailbox', organization: null, name: 'test' })
    return account
  })
}
