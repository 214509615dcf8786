/** The arguments of one command or test, checked against its signature (RFC 5228 2.6). */

import type { Test } from './run.ts'
import type { Signature, ValueKind } from './signature.ts'
import { type Argument, SieveSyntaxError, type TestSyntax, UnsupportedError } from './syntax.ts'
import { compileText, compileTexts, type Text, type Texts } from './text.ts'

/** Services of the compiler for a command. */
export interface Scope {
  /** Capabilities required so far. */
  readonly requires: ReadonlySet<string>
  test(syntax: TestSyntax): Test
  /** RFC 5463: capabilities count as required from here on. */
  grant(capabilities: readonly string[]): void
  /** @throws SieveSyntaxError if the regular expressions of a script are too large together */
  countRegex(instructions: number, line: number): void
}

export class Bound {
  readonly line: number
  readonly scope: Scope
  readonly #syntax: TestSyntax
  readonly #tags = new Map<string, Argument | null>()
  readonly #positional: (Argument | null)[] = []

  /** @throws SieveSyntaxError */
  constructor(syntax: TestSyntax, signature: Signature, scope: Scope) {
    this.line = syntax.line
    this.scope = scope
    this.#syntax = syntax
    this.#bindPositional(signature, this.#bindTags(signature))
    const { tests } = syntax
    if (!signature.tests && tests.length > 0) throw this.error(`${syntax.name} takes no test`)
    if (signature.tests === 'one' && (tests.length !== 1 || syntax.listed))
      throw this.error(`${syntax.name} takes one test`)
    if (signature.tests === 'list' && !syntax.listed) throw this.error(`${syntax.name} takes tests in parentheses`)
  }

  /** The first of these tags that the command has; null: none. */
  which(...tags: readonly string[]): string | null {
    return tags.find((tag) => this.#tags.has(tag)) ?? null
  }

  has(tag: string): boolean {
    return this.#tags.has(tag)
  }

  /** The value of a tag, or the positional argument of a number; null: not given. */
  text(key: string | number): Text | null {
    const argument = this.#argument(key)
    return argument?.kind === 'string' ? compileText(argument.value, argument.line, this.#textOptions()) : null
  }

  texts(key: string | number): Texts | null {
    const argument = this.#argument(key)
    if (argument?.kind === 'string') return compileTexts([argument.value], argument.line, this.#textOptions())
    return argument?.kind === 'strings' ? compileTexts(argument.values, argument.line, this.#textOptions()) : null
  }

  /** A positional argument that the signature requires. */
  textAt(position: number): Text {
    return this.#present(this.text(position), position)
  }

  textsAt(position: number): Texts {
    return this.#present(this.texts(position), position)
  }

  /** A value as written in the script, before expansion. */
  source(key: string | number): string {
    const argument = this.#argument(key)
    return argument?.kind === 'string' ? argument.value : ''
  }

  number(key: string | number): number | null {
    const argument = this.#argument(key)
    return argument?.kind === 'number' ? argument.value : null
  }

  /** The value of a tag that must be constant. @throws SieveSyntaxError */
  constant(tag: string): string | null {
    const text = this.text(tag)
    if (text && text.constant === null) throw this.error(`:${tag} cannot have variables`)
    return text?.constant ?? null
  }

  tests(): Test[] {
    return this.#syntax.tests.map((test) => this.scope.test(test))
  }

  error(message: string): SieveSyntaxError {
    return new SieveSyntaxError(this.line, sentence(message))
  }

  /** @throws SieveSyntaxError unless the capability is required */
  require(capability: string, what: string): void {
    if (!this.scope.requires.has(capability))
      throw new UnsupportedError(this.line, sentence(`${what} needs require "${capability}"`))
  }

  #present<T>(value: T | null, position: number): T {
    if (value === null) throw new TypeError(`${this.#syntax.name} declares no text as argument ${position}`)
    return value
  }

  #argument(key: string | number): Argument | null {
    return (typeof key === 'number' ? this.#positional[key] : this.#tags.get(key)) ?? null
  }

  #textOptions() {
    const { requires } = this.scope
    return { encodedCharacters: requires.has('encoded-character'), variables: requires.has('variables') }
  }

  /** Returns the arguments after the tags. */
  #bindTags(signature: Signature): Argument[] {
    const groups = new Set<string>()
    const rest = [...this.#syntax.arguments]
    for (let first = rest[0]; first?.kind === 'tag'; first = rest[0]) {
      rest.shift()
      const { name } = first
      const { tags = {} } = signature
      const spec = Object.hasOwn(tags, name) ? tags[name] : undefined
      if (!spec) throw new UnsupportedError(this.line, `${signature.name} has no :${name}.`)
      if (spec.requires !== undefined) this.require(spec.requires, `:${name}`)
      if (this.#tags.has(name)) throw this.error(`:${name} stands twice`)
      if (spec.group !== undefined && groups.has(spec.group))
        throw this.error(`:${name} does not go with the tags before it`)
      if (spec.group !== undefined) groups.add(spec.group)
      this.#tags.set(name, spec.value ? this.#tagValue(name, spec.value, rest.shift()) : null)
    }
    return rest
  }

  #tagValue(name: string, kind: ValueKind, value: Argument | undefined): Argument {
    if (!value || !isOfKind(value, kind)) throw this.error(`:${name} wants ${WORDS[kind]}`)
    return value
  }

  #bindPositional({ name, positional = [], optional = 0 }: Signature, given: readonly Argument[]): void {
    const stray = given.find((argument) => argument.kind === 'tag')
    if (stray) throw this.error(`:${stray.name} must stand before the other arguments`)
    const missing = positional.length - given.length
    if (missing > optional) throw this.error(`${name} lacks an argument: ${WORDS[positional[given.length]!]}`)
    if (missing < 0) throw this.error(`${name} has an argument too many`)
    for (let index = 0; index < missing; index++) this.#positional.push(null)
    for (const argument of given) {
      const kind = positional[this.#positional.length]!
      if (!isOfKind(argument, kind)) throw this.error(`${name} wants ${WORDS[kind]}`)
      this.#positional.push(argument)
    }
  }
}

const WORDS: Readonly<Record<ValueKind, string>> = {
  string: 'a string',
  strings: 'a string or a list',
  number: 'a number',
}

/** RFC 5228 2.4.2.1: a string is also accepted as a list of one string. */
function isOfKind(argument: Argument, kind: ValueKind): boolean {
  return argument.kind === kind || (kind === 'strings' && argument.kind === 'string')
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`
}
