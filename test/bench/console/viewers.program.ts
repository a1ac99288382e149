// The cost of the console with and without viewers, the time from a change to the stream, and lists of very many objects.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedKube } from 'embedded-kube';
import { customResource, ClusterUser, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { report } from '../kube/measuring.js';
import { runOperator, type Usage } from './shown.operator.js';
import { SCREENS, Viewer } from './viewer.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const MAPS = '/api/v1/namespaces/default/configmaps';
const FAILING = 200;

/** Seconds of the processor in a second of the clock of an operator that has nothing to do, at most. */
const QUIET = 0.01;

/** Seconds for which is waited for this, at most. */
const MOST_SECONDS = 60;

/** Lists as the page asks for them. */
const LISTS = [
  'objects?limit=100',
  'objects?limit=100&offset=50000',
  'objects?limit=100&search=77',
  'objects?limit=100&sort=-changed',
  'objects?limit=100&phase=failing',
  'objects?limit=100&resource=kopfexamples.kopf.dev&namespace=default',
  'overview',
  'now',
];

async function main(count: number, seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
  const kube = await EmbeddedKube.start();
  const user = new ClusterUser(kube.transport());
  let child: ChildProcess | undefined;
  try {
    await user.create(DEFINITIONS, customResource());
    await pause(500);
    for (let index = 0; index < count; index += 1) {
      await user.create(OBJECTS, {
        apiVersion: 'kopf.dev/v1',
        kind: 'KopfExample',
        metadata: { name: nameOf(index) },
        spec: { field: index },
      });
    }
    for (let index = 0; index < FAILING; index += 1) {
      const metadata = { name: `map-${index}`, labels: { fails: 'yes' } };
      await user.create(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    }
    const kubeconfig = join(folder, 'kubeconfig');
    kube.writeKubeconfig(kubeconfig);
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    child = fork(fileURLToPath(import.meta.url), ['operator'], { env, execArgv: ['--expose-gc'] });
    const [{ address }] = (await once(child, 'message')) as [{ address: string }];
    const operator = child;
    const use = async (): Promise<Usage> => {
      operator.send('use');
      const [usage] = (await once(operator, 'message')) as [Usage];
      return usage;
    };
    const share = async (work: (until: number) => Promise<void>): Promise<number> => {
      const [before, began] = [await use(), performance.now()];
      await work(began + seconds * 1000);
      return (((await use()).cpu - before.cpu) / ((performance.now() - began) / 1000)) * 100;
    };
    const idle = (until: number): Promise<void> => pause(until - performance.now());
    let changes = 0;
    const change = async (until: number): Promise<void> => {
      while (performance.now() < until) {
        changes += 1;
        await user.patch(`${OBJECTS}/${nameOf((changes * 7919) % count)}`, { spec: { field: -changes } });
        await pause(50);
      }
    };
    // The garbage of the start is V8's to collect, and belongs to no viewer.
    const settle = async (): Promise<void> => {
      operator.send('tidy');
      await waitUntilQuiet(use);
    };
    await settle();
    report('memory before anybody looks', (await use()).megabytes, 'MB');
    report('nobody looks, nothing happens: share of a core', await share(idle), '%');
    report('nobody looks, 20 changes a second', await share(change), '%');

    for (const [screen, shown] of Object.entries(SCREENS)) {
      const viewer = await Viewer.open(`${address}/kopf/`, shown, screen === 'log' ? ['log'] : []);
      await settle();
      report(`one viewer of ${screen}, nothing happens`, await share(idle), '%');
      report(`one viewer of ${screen}, 20 changes a second`, await share(change), '%');
      viewer.close();
    }
    report('nobody looks any more, the history is kept, 20 changes a second', await share(change), '%');
    report('memory with one viewer', (await use()).megabytes, 'MB');

    const viewer = await Viewer.open(`${address}/kopf/`, SCREENS.log, ['log']);
    const latencies: number[] = [];
    for (let index = 0; index < 200; index += 1) {
      const name = nameOf((index * 104729) % count);
      const seen = viewer.sees(name);
      const began = performance.now();
      await user.patch(`${OBJECTS}/${name}`, { spec: { field: -1_000_000 - index } });
      await seen;
      latencies.push(performance.now() - began);
      await pause(20);
    }
    latencies.sort((one, other) => one - other);
    report('from the request of a change to the stream, p50', latencies[100], 'ms');
    report('the same, p95', latencies[190], 'ms');

    viewer.close();

    for (const path of LISTS) {
      const times: number[] = [];
      const before = await use();
      for (let index = 0; index < 20; index += 1) {
        // Another object each time, so that nothing is known from the last time.
        await user.create(OBJECTS, {
          apiVersion: 'kopf.dev/v1',
          kind: 'KopfExample',
          metadata: { generateName: 'more-' },
        });
        await pause(60);
        const began = performance.now();
        await fetch(`${address}/kopf/api/${path}`).then((response) => response.text());
        times.push(performance.now() - began);
      }
      const cpu = (((await use()).cpu - before.cpu) / 20) * 1000;
      times.sort((one, other) => one - other);
      report(`${path}, p50`, times[10], 'ms');
      report(`${path}, processor time with one change`, cpu, 'ms');
    }
  } finally {
    child?.disconnect();
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the operator has handled everything, and V8 has tidied up. */
async function waitUntilQuiet(use: () => Promise<Usage>): Promise<void> {
  for (let quiet = 0, tries = 0, { cpu } = await use(); quiet < 3 && tries < MOST_SECONDS; tries += 1) {
    await pause(1000);
    const now = (await use()).cpu;
    quiet = now - cpu < QUIET ? quiet + 1 : 0;
    cpu = now;
  }
}

function nameOf(index: number): string {
  return `object-${String(index).padStart(7, '0')}`;
}

if (process.argv[2] === 'operator') await runOperator();
else await main(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 20));
