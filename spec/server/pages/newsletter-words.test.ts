// What this program writes to readers of newsletters, in each language: pages, footers and confirmations.
import t from 'tap'
import { FOOTER_WORDS } from '../../../jmap/newsletters/content/footer-words.ts'
import { READER_LANGUAGES, readerLanguage } from '../../../jmap/newsletters/content/reader-language.ts'
import { CONFIRMATION_WORDS } from '../../../jmap/newsletters/sign-up/letter-words.ts'
import { NEWSLETTER_WORDS, newsletterWords } from '../../../server/pages/newsletter-words/languages.ts'

const ARGUMENTS = ['NAME', 'ORGANIZATION', 'https://link.example/']

/** Texts by the path of their member; of functions with their arguments. */
function textsOf(table: object, path = ''): [path: string, text: string, takes: number][] {
  return Object.entries(table).flatMap(([name, value]): [string, string, number][] => {
    const at = `${path}/${name}`
    if (typeof value === 'function') return [[at, [value(...ARGUMENTS)].flat().join('\n'), value.length]]
    return typeof value === 'string' ? [[at, value, 0]] : textsOf(value, at)
  })
}

t.test('each language has every text, with what it names, in its own words', async (t) => {
  const all = (language: (typeof READER_LANGUAGES)[number]) => {
    const { language: own, ...pages } = NEWSLETTER_WORDS[language]
    t.equal(own, language)
    return textsOf({ pages, footer: FOOTER_WORDS[language], confirmation: CONFIRMATION_WORDS[language] })
  }
  const english = all('en')
  t.ok(english.length > 60, `${english.length} texts`)
  for (const language of READER_LANGUAGES) {
    const texts = all(language)
    t.same(
      texts.map(([path, , takes]) => [path, takes]),
      english.map(([path, , takes]) => [path, takes]),
      language,
    )
    for (const [path, text, takes] of texts) {
      t.ok(text.trim() === text && text !== '' && text === text.normalize('NFC'), `${language}${path}`)
      for (const given of ARGUMENTS.slice(0, takes)) t.ok(text.includes(given), `${language}${path} names ${given}`)
    }
    // `Name` is the same word in German.
    const same = texts.filter(([, text], at) => text === english[at]![1]).map(([path]) => path)
    t.same(same, language === 'en' ? english.map(([path]) => path) : language === 'de' ? ['/pages/signUp/name'] : [])
  }
})

t.test('the language follows from what the client likes and from that of the newsletter', async (t) => {
  const shown: [string | undefined, string][] = [
    ['fr-CA,en;q=0.5', 'fr'],
    ['es;q=0.1, de-AT;q=0.9, fr;q=0', 'de'],
    ['pt-BR, es;q=0.3', 'es'],
    ['pt-BR', 'en'],
    ['*', 'en'],
    ['de;q=x', 'en'],
    [`${'x,'.repeat(600)}de`, 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ]
  for (const [accept, language] of shown) t.equal(newsletterWords(accept).language, language, String(accept))
  for (const [tag, language] of [
    ['FR', 'fr'],
    ['es-419', 'es'],
    ['esu', 'en'],
    ['he', 'en'],
    ['constructor', 'en'],
  ] as const)
    t.equal(readerLanguage(tag), language, tag)
})
