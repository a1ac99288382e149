import { SituationsOperator } from '../conformance/cli/fixtures/situations.operator.js';
import { startEmbeddedCluster, type TestCluster } from '../conformance/test.cluster.js';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { eventually } from '../support/time/eventually.js';
import { KopfCommand, type RunningCommand } from '../support/programs/kopf.command.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { BrowserHarness } from './support/browser.harness.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

/** The screens, with a text of what is seen of operators that run elsewhere. */
const SCREENS = [
  ['objects', 'seen'],
  ['objects/kopfexamples.kopf.dev/default/seen', 'The handler retried is called again later: not yet'],
  ['handlers', 'retried'],
  ['watches', 'these are the watches of kopf console'],
  ['coordination', 'No operator coordinates with others'],
  ['webhooks', 'their webhooks leave nothing on objects'],
  ['memory', 'This is the memory of kopf console.'],
  ['permissions', 'kopf console'],
] as const;

describe('the page of kopf console', () => {
  let browser: BrowserHarness;
  let cluster: TestCluster;
  let kopf: KopfCommand;
  let operator: LocalOperator;
  let command: RunningCommand;

  beforeAll(async () => {
    [browser, cluster] = await Promise.all([BrowserHarness.start(), startEmbeddedCluster()]);
    kopf = new KopfCommand(cluster.credentials);
    await cluster.user.create(DEFINITIONS, customResource({ statusSubresource: true }));
    operator = await LocalOperator.start(SituationsOperator, { credentials: cluster.credentials });
    command = kopf.start(['console', '--allow', 'retry']);
  });

  afterAll(async () => {
    command?.signal('SIGTERM');
    await command?.outcome;
    await operator?.stop();
    kopf?.remove();
    await cluster?.stop();
    await browser?.close();
  });

  it('should open by the printed address, and follow what happens in the cluster', async () => {
    const address = await eventually('the address is printed', () => /http:\S+/.exec(command.out)?.[0]);
    const page = await browser.open(address);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    expect(page.url()).toBe(`${new URL(address).origin}/`);
    const create = async (name: string, mode: string): Promise<void> => {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { mode } };
      await cluster.user.create(OBJECTS, body);
    };
    await create('seen', 'waiting');
    await create('calm', 'calm');
    await page.locator('main').getByText('not yet').first().waitFor();
    const { origin } = new URL(address);
    for (const [path, text] of SCREENS) {
      await page.goto(`${origin}/${path}`);
      await page.locator('main').getByText(text).first().waitFor();
      expect(await browser.findBarriers(page), path).toEqual([]);
    }
    await page.goto(`${origin}/objects/kopfexamples.kopf.dev/default/seen`);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('dialog').getByText('Called now: retried.').waitFor();
    expect(browser.takeProblems()).toEqual([]);
  });
});
