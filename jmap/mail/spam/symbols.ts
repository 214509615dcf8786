/** Every symbol of the spam score: its points, and a sentence for people. The one place to change a weight. */

interface SymbolRow {
  readonly weight: number
  readonly description: string
}

function row(weight: number, description: string): SymbolRow {
  return { weight, description }
}

export const SYMBOLS = {
  // Senders.
  SPF_PASS: row(-0.2, 'The sending server may send for the domain of the envelope (SPF).'),
  SPF_FAIL: row(2, 'The domain of the envelope says that this server may not send for it (SPF).'),
  SPF_SOFTFAIL: row(0.8, 'The domain of the envelope doubts that this server may send for it (SPF).'),
  DKIM_PASS: row(-0.3, 'A signature of the message holds (DKIM).'),
  DKIM_FAIL: row(0.8, 'The message is signed, but no signature holds (DKIM).'),
  DMARC_PASS: row(-0.8, 'The domain of From is shown to be the true one (DMARC).'),
  DMARC_FAIL: row(
    1.2,
    'The domain of From is not shown to be the true one, and asks for nothing in that case (DMARC).',
  ),
  DMARC_QUARANTINE: row(4, 'The domain of From is not the true one, and asks to put such mail aside (DMARC).'),
  DMARC_REJECT: row(6, 'The domain of From is not the true one, and asks to refuse such mail (DMARC).'),
  UNAUTHENTICATED: row(0.7, 'Nothing shows who sent the message: neither SPF, DKIM nor DMARC passes.'),
  REVERSE_NAME_MISSING: row(0.8, 'The address of the sending server has no name that leads back to it.'),
  DNS_LISTED: row(3, 'The sending server, or a domain in the message, is on a list of known senders of spam.'),
} as const satisfies Record<string, SymbolRow>

export type SymbolName = keyof typeof SYMBOLS
