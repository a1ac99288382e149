import { createApiError } from 'nestjs-kopf/tooling';
import { VirtualClock } from 'nestjs-kopf/testing';
import type { RejectedPatchFault, SimulationFault } from '../simulation.plan.js';
import type { FrameworkPatch } from './patch.parts.js';
import { PatchRejections } from './patch.rejections.js';

const FAULT: RejectedPatchFault = { kind: 'rejected-patch', resource: 'pods', part: 'status', by: 500 };

function patchOf(given: Partial<FrameworkPatch> = {}): FrameworkPatch {
  const parts = new Set(['object', 'status'] as const);
  return { resource: 'pods', namespace: 'default', name: 'a', isGenerated: false, format: 'merge', parts, ...given };
}

function rejectionsOf(given: Partial<RejectedPatchFault> = {}) {
  const clock = new VirtualClock();
  const fired = new Set<SimulationFault>();
  const rejections = new PatchRejections([{ ...FAULT, ...given }], clock, (fault) => void fired.add(fault));
  /** The status codes of the answers to a number of patches in a row; 0 for those that are sent. */
  const answersTo = (count: number, patch = patchOf()): readonly number[] =>
    Array.from({ length: count }, () => rejections.answer(patch)?.status ?? 0);
  return { clock, fired, rejections, answersTo };
}

describe('PatchRejections', () => {
  it('should reject one patch', () => {
    const { answersTo, fired } = rejectionsOf();
    expect(answersTo(2)).toEqual([500, 0]);
    expect(fired.size).toBe(1);
  });

  it('should reject several patches in a row, from one of them on', () => {
    expect(rejectionsOf({ times: 2, fromPatch: 2 }).answersTo(4)).toEqual([0, 500, 500, 0]);
  });

  it('should reject patches for some seconds, from the first one on', async () => {
    const { answersTo, clock } = rejectionsOf({ seconds: 10 });
    await clock.advance(5000);
    expect(answersTo(2)).toEqual([500, 500]);
    await clock.advance(9999);
    expect(answersTo(1)).toEqual([500]);
    await clock.advance(1);
    expect(answersTo(1)).toEqual([0]);
  });

  it('should end with the faults, unless it lasts until the end of the run', () => {
    for (const [given, left] of [
      [{ times: 5 }, [0]],
      [{ seconds: 10 }, [0]],
      [{ forever: true }, [500]],
    ] as const) {
      const { answersTo, rejections } = rejectionsOf(given);
      expect(answersTo(1)).toEqual([500]);
      rejections.heal();
      expect(answersTo(1)).toEqual(left);
      expect(rejections.endless).toHaveLength(left[0] === 0 ? 0 : 1);
    }
  });

  it.each([
    [{}, { resource: 'nodes' }],
    [{}, { parts: new Set(['object', 'finalizers'] as const) }],
    [{ format: 'json' }, {}],
    [{ namespace: 'default', name: 'b' }, {}],
    [{ namespace: 'other', name: 'a' }, {}],
  ] as const)('should meet with %j no patch that is %j', (given, patch) => {
    const { answersTo, fired, rejections } = rejectionsOf(given);
    expect(answersTo(1, patchOf(patch))).toEqual([0]);
    expect(fired.size).toBe(0);
    expect(rejections.rejected).toEqual([]);
  });

  it('should know the objects that it concerns, once it has happened', () => {
    const { answersTo, rejections } = rejectionsOf({ namespace: 'default', name: 'a' });
    expect(rejections.concerns(patchOf())).toBe(false);
    answersTo(1);
    expect(rejections.concerns(patchOf())).toBe(true);
    expect(rejections.concerns(patchOf({ name: 'b' }))).toBe(false);
  });

  it.each([
    [403, 403, 'forbidden', false],
    [404, 404, 'could not find', false],
    [409, 409, 'has been modified', false],
    [413, 413, 'too large', false],
    [422, 422, 'rejected our request', false],
    [429, 429, '', false],
    [503, 503, '', false],
    ['schema', 422, 'is invalid', true],
    ['etcd', 500, 'etcdserver: request is too large', false],
    ['policy', 422, 'denied request', true],
    ['webhook', 403, 'denied the request', false],
  ] as const)('should answer by %s as an API server does', async (by, status, message, hasCauses) => {
    const { rejections } = rejectionsOf({ by });
    const { headers, text, ...answer } = rejections.answer(patchOf())!;
    const failed = { method: 'PATCH', path: '/', headers, text: await text(), status: answer.status };
    const error = createApiError(failed, 0);
    expect(error.status).toBe(status);
    expect(error.statusMessage).toContain(message);
    expect((error.details?.causes?.length ?? 0) > 0).toBe(hasCauses);
  });
});
