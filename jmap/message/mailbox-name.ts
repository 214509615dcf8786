/**
 * The name of a mailbox as it is compared with those of its siblings: without regard to case, with regard to accents (decision D9).
 */
export function nameKey(name: string): string {
  return name.toLowerCase().normalize('NFC')
}
