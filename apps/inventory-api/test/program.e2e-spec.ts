import { join } from 'node:path';
import { eventually } from '../../../test/support/time/eventually.js';
import { FirstSteps } from '../../../test/support/programs/first.steps.js';

const START = join(import.meta.dirname, '../../../test/tools/start.mjs');

describe('the program of npm run inventory', () => {
  it('should serve the API with an API server of its own, and take its kubeconfig away', async () => {
    const steps = new FirstSteps(START, 'inventory-api', 'main.demo');
    onTestFinished(() => steps.close());
    await steps.start('Ctrl-C stops both', { PORT: '0' });
    expect(steps.hasKubeconfig).toBe(true);
    const [, url] = /The API is at (\S+)\/api,/.exec(steps.output)!;
    const send = (path: string) => fetch(`${url}${path}`, { headers: { 'x-api-key': 'try' } });
    await eventually('the first item is there', async () => (await send('/api/items/chair')).ok);
    expect((await send('/api/docs')).status).toBe(200);
    expect(await steps.end('SIGINT', 'SIGINT')).toBe(0);
    expect(steps.hasKubeconfig).toBe(false);
    expect(steps.output).not.toMatch(/ERROR|WARN/);
  });
});
