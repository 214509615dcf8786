/** The folders of an account by their paths and roles. Missing ones are created when a message needs them. */
import type { JmapAccount, JmapMailbox } from './jmap-account.ts'

/** Names of folders that stand for roles in Maildirs, in lower case. */
const ROLE_NAMES: { readonly [name: string]: string } = {
  inbox: 'inbox',
  sent: 'sent',
  'sent items': 'sent',
  'sent messages': 'sent',
  drafts: 'drafts',
  trash: 'trash',
  'deleted items': 'trash',
  'deleted messages': 'trash',
  junk: 'junk',
  spam: 'junk',
  archive: 'archive',
}

/** @param path empty: the inbox */
export function roleOfPath(path: readonly string[]): string | null {
  if (path.length === 0) return 'inbox'
  return path.length === 1 ? (ROLE_NAMES[path[0]!.toLowerCase()] ?? null) : null
}

export class FolderTree {
  readonly #account: JmapAccount
  readonly #byRole = new Map<string, string>()
  readonly #byPlace = new Map<string, string>()
  /** Below it everything is put; null: at the top. */
  readonly #under: readonly string[]

  private constructor(account: JmapAccount, mailboxes: readonly JmapMailbox[], under: readonly string[]) {
    this.#account = account
    this.#under = under
    for (const { id, name, parentId, role } of mailboxes) {
      this.#byPlace.set(placeOf(parentId, name), id)
      if (role !== null) this.#byRole.set(role, id)
    }
  }

  /** @param under a path below which all folders are put; empty: none */
  static async read(account: JmapAccount, under: readonly string[]): Promise<FolderTree> {
    return new FolderTree(account, await account.mailboxes(), under)
  }

  /** The id of a folder. A role finds the folder that has it, whatever its name. */
  async find(path: readonly string[], role: string | null): Promise<string> {
    const wanted = role ?? roleOfPath(path)
    if (this.#under.length === 0 && wanted !== null) {
      const known = this.#byRole.get(wanted)
      if (known !== undefined) return known
    }
    const names = [...this.#under, ...(path.length > 0 ? path : ['Inbox'])]
    let parent: string | null = null
    for (const name of names) {
      const place = placeOf(parent, name)
      const id: string = this.#byPlace.get(place) ?? (await this.#account.createMailbox(name, parent))
      this.#byPlace.set(place, id)
      parent = id
    }
    return parent!
  }
}

function placeOf(parentId: string | null, name: string): string {
  return `${parentId ?? ''}/${name}`
}

/** The path of each mailbox, by id. */
export function pathsOf(mailboxes: readonly JmapMailbox[]): Map<string, string[]> {
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]))
  return new Map(
    mailboxes.map((mailbox) => {
      const path: string[] = []
      // A server that says nonsense has circles.
      for (let at: JmapMailbox | undefined = mailbox; at && path.length < mailboxes.length; ) {
        path.unshift(at.name)
        at = at.parentId === null ? undefined : byId.get(at.parentId)
      }
      return [mailbox.id, path]
    }),
  )
}
