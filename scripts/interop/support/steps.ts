/** The steps of a script, each with a line of its own: the others go on when one fails. */
export class Steps {
  failures = 0

  async run(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      console.log(`ok      ${name}`)
    } catch (error) {
      this.failures++
      console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}
