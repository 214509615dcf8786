/** All symbols of the spam score: points and a sentence for users. Weights are changed here only. */

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
  // Header.
  HEADER_NO_FROM: row(1.5, 'Nobody is named as the author (From).'),
  HEADER_NO_DATE: row(1, 'There is no Date.'),
  HEADER_ODD_DATE: row(1, 'The Date is none that can be read.'),
  HEADER_FUTURE: row(2.6, 'The Date lies in the future.'),
  HEADER_PAST: row(1.2, 'The Date lies weeks back.'),
  HEADER_NO_TO: row(0.5, 'Nobody is named as a recipient.'),
  HEADER_NOBODY_NAMED: row(1.5, 'The recipients are hidden.'),
  HEADER_NO_MESSAGE_ID: row(0.8, 'There is no Message-ID.'),
  HEADER_ODD_MESSAGE_ID: row(1.5, 'The Message-ID is not formed as one.'),
  HEADER_TWICE: row(1.2, 'A field that may stand once stands several times.'),
  HEADER_ENDLESS: row(1, 'The message has more fields or parts than any real one.'),
  HEADER_EIGHT_BITS: row(1.5, 'The header has characters that are not encoded.'),
  HEADER_RARE_CHARSET: row(0.8, 'The message is written in a character set of the days before Unicode.'),
  HEADER_BULK_MAILER: row(1, 'The message was made by a program for bulk mail.'),
  HEADER_LIST: row(-0.4, 'The message comes from a list and tells how to leave it.'),
  HEADER_ANSWER: row(-0.8, 'The message answers another one.'),
  // Subject and author.
  SUBJECT_EMPTY: row(0.4, 'The subject is empty.'),
  SUBJECT_CAPITALS: row(2.3, 'The subject is written in capitals.'),
  SUBJECT_LOUD: row(1.4, 'The subject has several exclamation marks or currency signs.'),
  SUBJECT_SPACED: row(1.2, 'Words of the subject are spelled apart or with signs, to get past filters.'),
  SUBJECT_TAIL: row(3, 'The subject hides something behind a gap.'),
  SUBJECT_FALSE_ANSWER: row(0.3, 'The subject begins like an answer, but the message answers nothing.'),
  SUBJECT_OFFER: row(1.5, 'The subject has an offer: a price, a rate, or something free.'),
  TEXT_MIXED_SCRIPTS: row(2, 'Words mix letters of several scripts that look alike.'),
  FROM_NAMES_ANOTHER: row(2, 'The name of the author shows the address of another domain.'),
  FROM_DIGITS: row(0.8, "The author's address has many digits."),
  FROM_ODD_ADDRESS: row(1, "The author's address is none that can be answered."),
  ANSWERS_TO_FREEMAIL: row(2.2, 'Answers go to a free mailbox elsewhere.'),
  // Words.
  GTUBE: row(1000, 'The message has the text by which spam filters are tested.'),
  WORDS_ADVANCE_FEE: row(4, 'The text reads like the offer of a fortune for a fee.'),
  WORDS_MEDICINE: row(2.2, 'The text sells medicine.'),
  WORDS_CREDIT: row(2.3, 'The text offers credit or insurance.'),
  WORDS_EARNING: row(2.5, 'The text promises easy earnings.'),
  WORDS_URGING: row(1.2, 'The text urges to buy or act at once.'),
  WORDS_NOT_SPAM: row(2.6, 'The text excuses itself for being sent in bulk.'),
  WORDS_SEX: row(2, 'The text offers sex.'),
  WORDS_PHISHING: row(1.8, 'The text asks to confirm an account or a password.'),
  WORDS_EXTORTION: row(2, 'The text threatens with recordings and asks for money.'),
  WORDS_PRIZE: row(1.5, 'The text promises a prize.'),
  WORDS_SHARES: row(1.2, 'The text praises shares or trading.'),
  WORDS_BULK_TRADE: row(0.6, 'The text offers services that are mostly sold by bulk mail.'),
  TEXT_UNSEEN_CHARACTERS: row(1, 'The text is broken up by characters that are not seen.'),
  // Links.
  LINK_RUNS_CODE: row(2, 'A link runs code instead of leading somewhere.'),
  LINK_ALMOST_ALONE: row(0.3, 'The message is little more than a link.'),
  LINK_TO_ADDRESS: row(2.6, 'A link leads to a bare address instead of a name.'),
  LINK_HOST_DISGUISED: row(2.5, 'A link disguises where it leads.'),
  LINK_WITH_USER: row(2.2, 'A link has a user name before the host, which hides where it leads.'),
  LINK_ODD_PORT: row(1, 'A link leads to an unusual port.'),
  LINK_SHORTENED: row(0.6, 'A link is shortened, which hides where it leads.'),
  LINK_RISKY_ENDING: row(1, 'A link leads to a domain ending that is mostly used by spam.'),
  LINK_FOREIGN_LETTERS: row(0.8, "A link's host has letters that may pass for others."),
  LINK_MANY_LABELS: row(0.6, "A link's host has very many labels."),
  LINK_LEADS_ON: row(0.5, 'A link leads on to another address through a third party.'),
  LINK_SHOWS_ANOTHER: row(0.8, 'A link shows one address and leads to another.'),
  // HTML.
  HTML_ONLY: row(1.3, 'The message is HTML only, without plain text.'),
  HTML_PICTURES_ONLY: row(1.8, 'The message is pictures with hardly any text.'),
  HTML_FORM: row(0.4, 'The message asks for input.'),
  HTML_SCRIPT: row(0.4, 'The message tries to run a script.'),
  HTML_FRAME: row(0.3, 'The message embeds other pages or objects.'),
  HTML_LEADS_AWAY: row(2, 'The message leads to another page by itself.'),
  HTML_BASE: row(0.8, 'The message changes where its links lead.'),
  HTML_LOUD: row(2, 'The text is written in large or loud colours.'),
  HTML_SPLIT_WORDS: row(2.2, 'Words are split by hidden marks, to get past filters.'),
  HTML_NEEDLESS_REFERENCES: row(0.5, 'Plain letters are written as codes, to get past filters.'),
  HTML_HIDDEN_TEXT: row(0.5, 'Some of the text is hidden from readers.'),
  // Attached files.
  FILE_PROGRAM: row(5, 'A program is attached.'),
  FILE_PROGRAM_HIDDEN: row(5, 'A program is attached under another name.'),
  FILE_PROGRAM_IN_ARCHIVE: row(4, 'An attached archive has a program in it.'),
  FILE_TWO_ENDINGS: row(2, 'An attached program pretends to be a document.'),
  FILE_NAME_TURNED: row(4, 'The name of an attached file is written so that it shows another ending.'),
  FILE_DISK_IMAGE: row(2.5, 'A disk image or notebook is attached, which may carry programs.'),
  FILE_MACROS: row(2, 'An attached document has macros.'),
  FILE_ARCHIVE: row(0.3, 'An archive is attached.'),
  FILE_LOCKED_ARCHIVE: row(1.5, 'An attached archive is locked, so that nothing can look into it.'),
  FILE_PAGE: row(1.2, 'A web page is attached.'),
  // Classifier.
  BAYES_SPAM: row(5, 'The message is like those that were marked as junk here.'),
  BAYES_HAM: row(-4, 'The message is like those that were marked as wanted here.'),
} as const satisfies Record<string, SymbolRow>

export type SymbolName = keyof typeof SYMBOLS
