/** A form in which mail leaves: folders one after another, with their messages. */
export interface MailExport {
  /** @param path names from the top down; empty: the inbox. The folder is written even if it stays empty */
  begin(path: readonly string[]): Promise<void>
  /** May be called again before it resolves. */
  add(message: ExportedMessage): Promise<void>
  /** Resolves when everything is on the disk. */
  end(): Promise<void>
  /** Removes what nobody can use, instead of `end`. */
  abandon?(): Promise<void>
}

export interface ExportedMessage {
  /** Letters, digits, `_` and `-`; unique in the mailbox. */
  readonly id: string
  readonly octets: Buffer
  readonly keywords: readonly string[]
  /** UTCDate */
  readonly receivedAt: string
}

/** A name that every file system takes: no separators, no control characters, not too long, not special. */
export function fileName(name: string): string {
  const safe = name
    .replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')
    .slice(0, 80)
    .trim()
  return safe === '' || /^\.+$/.test(safe) ? '_' : safe
}
