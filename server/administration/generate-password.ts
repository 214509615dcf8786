import { randomInt } from 'node:crypto'

const LOWER = 'abcdefghijkmnopqrstuvwxyz'
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const DIGITS = '23456789'

/** 24 characters (about 140 bits) that need no quoting in a shell, with a letter of each case and a digit. */
export function generatePassword(): string {
  const pick = (letters: string) => letters[randomInt(letters.length)]!
  const all = LOWER + UPPER + DIGITS
  // One password in sixty lacks a kind of character. A new draw keeps every position equally random.
  for (;;) {
    const password = Array.from({ length: 24 }, () => pick(all)).join('')
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /[0-9]/.test(password)) return password
  }
}
