/** `description` to DESCRIPTION or STYLED-DESCRIPTION (the conversion draft, 3.2). */

import { ICALENDAR_PLAIN_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { htmlToText } from '../../message/html-text.ts'
import type { Kept } from './hatch.ts'
import type { Component } from './jcal.ts'
import { property, textMember } from './write-scope.ts'

/** @param language of the text; null: it is said elsewhere */
export function writeDescription(object: JsonObject, kept: Kept, component: Component, language: string | null): void {
  const text = textMember(object, 'description')
  if (text === null) return
  const type = textMember(object, 'descriptionContentType')
  const parameters = language === null ? {} : { language }
  if (type === null || /^text\/plain\b/i.test(type)) {
    component.properties.push(
      property('description', 'text', text, { ...parameters, ...kept.parameters('description', 'description') }),
    )
    return
  }
  const styled = { ...parameters, ...kept.parameters('styled-description', 'description'), fmttype: type }
  component.properties.push(property('styled-description', 'text', text, styled))
  // For those that know only plain text; a reader leaves it out again.
  const plain = /^text\/html\b/i.test(type) ? foldSpace(htmlToText(text, ICALENDAR_PLAIN_MAX_CHARS)) : text
  component.properties.push(property('description', 'text', plain, { derived: 'TRUE' }))
}

function foldSpace(text: string): string {
  return text
    .replace(/[ \t\u00A0]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
}
