import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import { Reinvocation } from '../admission.plugin.js';
import type { WebhookMatcher } from './matching/webhook.matcher.js';
import type { WebhookCandidate, WebhookSource } from './matching/webhook.source.js';
import { MutatingWebhookPlugin } from './mutating-webhook.plugin.js';
import type { WebhookCaller } from './webhook.caller.js';

const logger = { debug: vi.fn(), log: vi.fn(), warn: vi.fn(), error: vi.fn() };

describe('MutatingWebhookPlugin', () => {
  it.each([
    ['nobody', [], []],
    ['all', ['a', 'b', 'c'], ['a', 'b', 'c']],
    ['only later ones', ['b', 'c'], ['b', 'c']],
    ['only the first', ['a'], ['a']],
  ])('should match each webhook once, if a write is for %s', async (_whom, wanted, expected) => {
    const matched: string[] = [];
    const called: string[] = [];
    const candidates = ['a', 'b', 'c'].map((key) => ({ webhook: { key, spec: { name: key } } }));
    const source = { candidatesFor: () => candidates };
    const matcher = {
      match: ({ webhook: { key } }: WebhookCandidate) => {
        matched.push(key);
        return wanted.includes(key) ? {} : undefined;
      },
    };
    const caller = {
      call: ({ key }: WebhookCandidate['webhook']) => {
        called.push(key);
        return Promise.resolve({ allowed: true });
      },
    };
    const plugin = new MutatingWebhookPlugin(
      source as unknown as WebhookSource,
      matcher as unknown as WebhookMatcher,
      caller as unknown as WebhookCaller,
      logger,
    );

    await plugin.admit({} as AdmissionAttributes, new Reinvocation());

    expect(matched).toEqual(['a', 'b', 'c']);
    expect(called).toEqual(expected);
  });
});
