/** The words of the mail that asks to confirm a sign-up. */
import type { ReaderLanguage } from '../content/reader-language.ts'

/** @param name of the audience */
export interface ConfirmationWords {
  readonly subject: (name: string) => string
  readonly paragraphs: (name: string, organization: string, link: string) => readonly string[]
}

export const CONFIRMATION_WORDS: { readonly [language in ReaderLanguage]: ConfirmationWords } = {
  en: {
    subject: (name) => `Please confirm: ${name}`,
    paragraphs: (name, organization, link) => [
      `Somebody asked to subscribe this address to "${name}" of ${organization}.`,
      `To subscribe, open this page and confirm: ${link}`,
      'The link works for three days. If it was not you, do nothing: you will get no newsletter.',
    ],
  },
  de: {
    subject: (name) => `Bitte bestätigen: ${name}`,
    paragraphs: (name, organization, link) => [
      `Jemand hat diese Adresse für „${name}“ von ${organization} angemeldet.`,
      `Zum Abonnieren öffnen Sie bitte diese Seite und bestätigen: ${link}`,
      'Der Link gilt drei Tage. Falls Sie es nicht waren, tun Sie nichts: Sie erhalten dann keinen Newsletter.',
    ],
  },
  fr: {
    subject: (name) => `Veuillez confirmer\u00a0: ${name}`,
    paragraphs: (name, organization, link) => [
      `Quelqu’un a demandé d’abonner cette adresse à «\u00a0${name}\u00a0» de ${organization}.`,
      `Pour vous abonner, ouvrez cette page et confirmez\u00a0: ${link}`,
      'Le lien est valable trois jours. Si ce n’était pas vous, ne faites rien\u00a0: vous ne recevrez aucune newsletter.',
    ],
  },
  es: {
    subject: (name) => `Confirme, por favor: ${name}`,
    paragraphs: (name, organization, link) => [
      `Alguien ha pedido suscribir esta dirección a «${name}» de ${organization}.`,
      `Para suscribirse, abra esta página y confirme: ${link}`,
      'El enlace vale tres días. Si no ha sido usted, no haga nada: no recibirá ningún boletín.',
    ],
  },
}
