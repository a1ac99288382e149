import type { PatchingClient } from '../client/api/patching.client.js';
import type { PatchRequest, PatchResult } from '../client/api/patch.request.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import { SilentLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { BackgroundPatching } from './background.patching.js';
import type { ObjectBackground } from './object.background.js';

const FINALIZER = 'example.com/finalizer';
const body: KubeObject = { metadata: { name: 'a', resourceVersion: '7', finalizers: [FINALIZER] } };
const FAILED: PatchResult = {
  outcome: 'failed',
  unsent: { fields: {}, transformations: [] },
  error: new Error('The API server is away.'),
  isAnswered: false,
};

describe('BackgroundPatching', () => {
  const clock = new VirtualClock();
  const background = { untilReleased: () => Promise.resolve() } as unknown as ObjectBackground;

  /** Removes the finalizer. @returns the times of the requests, in seconds since the beginning */
  function release(results: readonly PatchResult[], ending = new AbortController()) {
    const begun = clock.monotonic();
    const times: number[] = [];
    const versions = new Set<string | undefined>();
    const client = {
      applyPatch: (request: PatchRequest) => {
        versions.add(request.body.metadata.resourceVersion);
        times.push((clock.monotonic() - begun) / 1000);
        return Promise.resolve(results[times.length - 1] ?? FAILED);
      },
    } as unknown as PatchingClient;
    const settings = { persistence: { finalizer: FINALIZER } } as KopfSettings;
    const patching = new BackgroundPatching(client, null as never, settings, clock);
    const cause = { resource: {}, body, patch: new ResourcePatch(), logger: new SilentLogger() };
    const scope = { signal: ending.signal, pruned: new Set<string>() };
    const done = patching.release(cause as unknown as SpawningCause, background, scope);
    return { done, times, versions };
  }

  it('should try again to remove the finalizer while the API server is away, from the version that was seen', async () => {
    const { done, times, versions } = release([FAILED, FAILED, FAILED, FAILED, FAILED, { outcome: 'stored' }]);
    await clock.runUntil(done);
    expect(times).toEqual([0, 1, 6, 21, 81, 141]);
    expect([...versions]).toEqual(['7']);
  });

  it('should leave it to the next event when the object has changed, or is gone', async () => {
    const error = new Error('The object has been modified.');
    const conflict: PatchResult = { outcome: 'conflict', unsent: { fields: {}, transformations: [] }, error };
    for (const result of [conflict, { outcome: 'gone' } as const]) {
      const { done, times } = release([FAILED, result]);
      await clock.runUntil(done);
      expect(times).toEqual([0, 1]);
    }
  });

  it('should not try again when nothing can be sent any more', async () => {
    const ending = new AbortController();
    const { done, times } = release([], ending);
    await clock.advance(2000);
    ending.abort();
    await clock.runUntil(done);
    expect(times).toEqual([0, 1]);
  });
});
