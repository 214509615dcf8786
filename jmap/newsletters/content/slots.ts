/** Marks in the markup that the renderer sees, in place of texts and URLs. Letters and digits only: it changes nothing in them. */
import { joinTemplates, type Template } from './template.ts'

const MARK = /qSLOT(\d+)q/

export class Slots {
  readonly #contents: Template[] = []

  add(content: Template): string {
    return `qSLOT${this.#contents.push(content) - 1}q`
  }

  /** What was rendered, with the contents in place of their marks. */
  fillIn(rendered: string): Template {
    // Every second piece is the number of a mark.
    const pieces = rendered.split(MARK)
    return joinTemplates(
      pieces.map((piece, index) => (index % 2 === 1 ? (this.#contents[Number(piece)] ?? []) : piece)),
    )
  }
}
