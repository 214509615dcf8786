/** Compiles the text of a script: looks up its commands, checks their arguments, and joins control commands. */
import { SIEVE_REGEX_INSTRUCTIONS_MAX, SIEVE_SCRIPT_MAX_BYTES } from '../../server/base/sieve-limits.ts'
import { Bound, type Scope } from './bound.ts'
import { ACTIONS, SIEVE_EXTENSIONS, TESTS } from './capabilities.ts'
import type { Definition } from './definition.ts'
import { parseScript } from './parser.ts'
import { SieveRunError, type Step, type Test } from './run.ts'
import type { SieveScript } from './script.ts'
import { type CommandSyntax, SieveSyntaxError, type TestSyntax, UnsupportedError } from './syntax.ts'

export type CompileResult =
  | { readonly script: SieveScript }
  /** `line` counts from 1; `message` is a sentence for users. */
  | { readonly error: { readonly line: number; readonly message: string } }

/** Reads, checks and compiles a script. Total. */
export function compileScript(text: string): CompileResult {
  if (Buffer.byteLength(text) > SIEVE_SCRIPT_MAX_BYTES)
    return { error: { line: 1, message: `A script cannot have more than ${SIEVE_SCRIPT_MAX_BYTES} octets.` } }
  try {
    return { script: new Compiler().script(parseScript(text)) }
  } catch (error) {
    if (error instanceof SieveSyntaxError) return { error: { line: error.line, message: error.message } }
    throw error
  }
}

class Compiler implements Scope {
  readonly requires = new Set<string>()
  #instructions = 0

  script(commands: readonly CommandSyntax[]): SieveScript {
    // RFC 5228 3.2: require comes before all other commands.
    const end = commands.findIndex(({ name }) => name !== 'require')
    const start = end < 0 ? commands.length : end
    for (const command of commands.slice(0, start)) this.#require(command)
    const requires = [...this.requires]
    return { steps: this.#block(commands.slice(start)), requires }
  }

  test(syntax: TestSyntax): Test {
    return this.#deferred(syntax, () => {
      if (syntax.name === 'ihave') return this.#ihave(syntax)
      const definition = TESTS.get(syntax.name)
      if (!definition) throw new UnsupportedError(syntax.line, `There is no test "${syntax.name}".`)
      const test = definition.compile(this.#bind(syntax, definition))
      return (run) => {
        run.spend(1, syntax.line)
        return test(run)
      }
    })
  }

  grant(capabilities: readonly string[]): void {
    for (const capability of capabilities) {
      this.requires.add(capability)
      // RFC 6131 2, RFC 5235 3.2: one implies the other.
      if (capability === 'vacation-seconds') this.requires.add('vacation')
    }
  }

  countRegex(instructions: number, line: number): void {
    this.#instructions += instructions
    if (this.#instructions > SIEVE_REGEX_INSTRUCTIONS_MAX)
      throw new SieveSyntaxError(line, 'The regular expressions of the script are too large together.')
  }

  #require(command: CommandSyntax): void {
    const bound = new Bound(command, { name: 'require', requires: [], positional: ['strings'] }, this)
    if (command.block) throw bound.error('require has no block')
    const names = bound.textsAt(0).constants!
    const unknown = names.find((name) => !SIEVE_EXTENSIONS.includes(name))
    if (unknown !== undefined)
      throw bound.error(`the extension ${JSON.stringify(unknown.slice(0, 50))} is not supported`)
    this.grant(names)
  }

  #block(commands: readonly CommandSyntax[]): Step[] {
    const steps: Step[] = []
    for (let index = 0; index < commands.length; ) {
      const command = commands[index]!
      if (command.name === 'if') {
        let next = index + 1
        while (commands[next]?.name === 'elsif' || commands[next]?.name === 'else') next++
        steps.push(this.#condition(commands.slice(index, next)))
        index = next
      } else {
        steps.push(this.#command(command))
        index++
      }
    }
    return steps
  }

  #command(command: CommandSyntax): Step {
    const { name, line } = command
    if (name === 'elsif' || name === 'else') throw new SieveSyntaxError(line, `${name} does not follow an if.`)
    if (name === 'require') throw new SieveSyntaxError(line, 'require must stand before all other commands.')
    return this.#deferred(command, () => {
      const definition = ACTIONS.get(name)
      if (!definition) throw new UnsupportedError(line, `There is no command "${name}".`)
      if (command.block) throw new SieveSyntaxError(line, `${name} has no block.`)
      const step = definition.compile(this.#bind(command, definition))
      return (run) => {
        run.spend(1, line)
        step(run)
      }
    })
  }

  /** RFC 5228 3.1: if, any number of elsif, at most one else at the end. */
  #condition(commands: readonly CommandSyntax[]): Step {
    const branches = commands.map((command, index) => {
      const { name, line, tests, block } = command
      const isElse = name === 'else'
      if (isElse && index < commands.length - 1)
        throw new SieveSyntaxError(commands[index + 1]!.line, 'An else is the last.')
      if (command.arguments.length > 0 || command.listed || tests.length !== (isElse ? 0 : 1))
        throw new SieveSyntaxError(line, isElse ? 'else takes no test.' : `${name} takes one test.`)
      if (!block) throw new SieveSyntaxError(line, `${name} needs a block.`)
      const test: Test = isElse ? () => true : this.test(tests[0]!)
      return {
        test,
        steps: this.#block(block),
        line,
        words: isElse ? 'None of the tests before held.' : 'The test held.',
      }
    })
    return (run) => {
      run.spend(1, commands[0]!.line)
      const branch = branches.find(({ test }) => test(run))
      if (!branch) return
      run.note(branch.line, branch.words)
      for (const step of branch.steps) step(run)
    }
  }

  #bind(syntax: TestSyntax, definition: Definition<unknown>): Bound {
    const { name, requires } = definition
    if (requires.length > 0 && !requires.some((capability) => this.requires.has(capability)))
      throw new UnsupportedError(syntax.line, `${name} needs require "${requires[0]}".`)
    return new Bound(syntax, definition, this)
  }

  /** RFC 5463 4: in a script with ihave, an unavailable command is an error only when it runs. */
  #deferred<T extends Step | Test>(syntax: TestSyntax, compile: () => T): T {
    try {
      return compile()
    } catch (error) {
      if (!(error instanceof UnsupportedError) || !this.requires.has('ihave')) throw error
      const fail = () => {
        throw new SieveRunError(syntax.line, error.message)
      }
      return fail as unknown as T
    }
  }

  #ihave(syntax: TestSyntax): Test {
    const bound = this.#bind(syntax, {
      name: 'ihave',
      requires: ['ihave'],
      positional: ['strings'],
      compile: () => null,
    })
    const names = bound.textsAt(0).constants
    if (!names) throw bound.error('ihave takes no variables')
    // RFC 5463 4: ihave grants no capability that changes how the script is read.
    const isThere = names.every(
      (name) => this.requires.has(name) || (SIEVE_EXTENSIONS.includes(name) && !CHANGES_READING.has(name)),
    )
    if (isThere) this.grant(names)
    return () => isThere
  }
}

const CHANGES_READING = new Set(['encoded-character', 'variables'])
