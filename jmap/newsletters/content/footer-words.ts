/** The words of the footer of newsletters. The rest of it is the organization's own. */
import type { ReaderLanguage } from './reader-language.ts'

export interface FooterWords {
  readonly unsubscribe: string
  readonly readInBrowser: string
}

export const FOOTER_WORDS: { readonly [language in ReaderLanguage]: FooterWords } = {
  en: { unsubscribe: 'Unsubscribe', readInBrowser: 'Read in the browser' },
  de: { unsubscribe: 'Abbestellen', readInBrowser: 'Im Browser lesen' },
  fr: { unsubscribe: 'Se désabonner', readInBrowser: 'Lire dans le navigateur' },
  es: { unsubscribe: 'Cancelar la suscripción', readInBrowser: 'Leer en el navegador' },
}
