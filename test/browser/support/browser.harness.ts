import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Where distributions put Chromium; the first that exists is taken, unless the environment variable CHROMIUM names another one. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** One violation that axe has found, in short. */
export interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly targets: readonly string[];
}

/**
 * A browser, and all that went wrong in its pages: errors in the console, violations of the content security policy, exceptions, dialogs,
 * and requests to other hosts than the console's.
 */
export class BrowserHarness {
  readonly problems: string[] = [];
  /** Problems that a test brings about on purpose, such as a connection that breaks. */
  readonly expected: RegExp[] = [];

  private constructor(private readonly browser: Browser) {}

  /** Starts the browser; the caller closes it. */
  static async start(): Promise<BrowserHarness> {
    const executablePath = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
    if (!executablePath)
      throw new Error(`There is no Chromium: install it, or name it by the variable CHROMIUM (${PLACES.join(', ')}).`);
    const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];
    return new BrowserHarness(await chromium.launch({ executablePath, args }));
  }

  /**
   * Opens a page.
   *
   * @param home an address of the host that requests may go to. @default the address
   */
  async open(url: string, options: BrowserContextOptions = {}, home = url): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1360, height: 860 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
      locale: 'en-GB',
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const { origin } = new URL(home);
    page.on('console', (message) => {
      if (message.type() === 'error' || /Content Security Policy/i.test(message.text()))
        this.report(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.report(String(error)));
    page.on('dialog', (dialog) => {
      this.report(`A dialog says: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const target = new URL(request.url());
      if (target.protocol !== 'data:' && target.origin !== origin) this.report(`A request to ${target.href}`);
    });
    await page.goto(url);
    return page;
  }

  /** Takes the problems that have come together, so that each test has its own. */
  takeProblems(): readonly string[] {
    const problems = this.problems.splice(0).filter((problem) => !this.expected.some((each) => each.test(problem)));
    this.expected.length = 0;
    return problems;
  }

  /** Looks for barriers of all kinds that axe knows. */
  async findBarriers(page: Page): Promise<readonly AxeViolation[]> {
    await page.evaluate(readFileSync(AXE, 'utf8'));
    const violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[] =
      await page.evaluate('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)');
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      targets: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private report(problem: string): void {
    this.problems.push(problem);
  }
}
