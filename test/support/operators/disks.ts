import { makeReview } from '../webhooks/reviews.js';
import { OperatorHarness, type HarnessOptions, type HarnessResource } from './operator.harness.js';

/** The custom resource of the guides: `disks.example.com`. */
export const DISKS: HarnessResource = {
  group: 'example.com',
  kind: 'Disk',
  plural: 'disks',
  shortNames: ['dk'],
  spec: { tier: 'slow' },
};

/** Starts a cluster that has the custom resource of the guides. */
export function startWithDisks(options: HarnessOptions = {}): Promise<OperatorHarness> {
  return OperatorHarness.start({ resource: DISKS, ...options });
}

/** Makes a review of the creation of a disk. */
export function makeDiskReview(spec: object): object {
  const metadata = { name: 'a', namespace: 'ns' };
  return makeReview(
    { apiVersion: 'example.com/v1', kind: 'Disk', metadata, spec },
    {
      kind: { group: 'example.com', version: 'v1', kind: 'Disk' },
      resource: { group: 'example.com', version: 'v1', resource: 'disks' },
    },
  );
}
