/** What scripts use of playwright-core, which is no dependency: `npm install --prefix /tmp/playwright playwright-core`. Chromium is Debian's. */
import { pathToFileURL } from 'node:url'

export interface Request {
  url(): string
  resourceType(): string
}
export interface Route {
  request(): Request
  fulfill(answer: {
    status?: number
    contentType?: string
    headers?: Record<string, string>
    body?: string | Buffer
  }): Promise<void>
  abort(): Promise<void>
}
export interface Page {
  goto(url: string, options?: { waitUntil?: 'load' | 'commit'; timeout?: number }): Promise<unknown>
  setContent(html: string, options?: { waitUntil?: 'load' }): Promise<void>
  /** @param expression in the page */
  evaluate(expression: string): Promise<unknown>
  url(): string
  click(selector: string): Promise<void>
  route(url: string, handler: (route: Route) => unknown): Promise<void>
  waitForTimeout(ms: number): Promise<void>
  on(event: 'dialog', listener: (dialog: { dismiss(): Promise<void> }) => void): void
  on(event: 'console', listener: (message: { text(): string }) => void): void
  on(event: 'request', listener: (request: Request) => void): void
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>
  close(): Promise<void>
}
export interface BrowserContext {
  addInitScript(script: string): Promise<void>
  route(url: string, handler: (route: Route) => unknown): Promise<void>
  newPage(): Promise<Page>
  close(): Promise<void>
}
export interface Browser {
  newContext(options?: {
    viewport?: { width: number; height: number }
    colorScheme?: 'light' | 'dark'
    deviceScaleFactor?: number
    javaScriptEnabled?: boolean
    /** For scripts of the driver. */
    bypassCSP?: boolean
  }): Promise<BrowserContext>
  close(): Promise<void>
}

export const BROWSER_OPTIONS = {
  driver: { type: 'string', default: '/tmp/playwright/node_modules/playwright-core' },
  chromium: { type: 'string', default: '/usr/bin/chromium' },
} as const

export async function launch(driver: string, executablePath: string): Promise<Browser> {
  const { chromium } = (await import(pathToFileURL(`${driver}/index.mjs`).href)) as {
    readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> }
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
