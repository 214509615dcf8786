/** The form of a mailbox name that is compared with its siblings: without case, with accents (decision D9). */
export function nameKey(name: string): string {
  return name.toLowerCase().normalize('NFC')
}
