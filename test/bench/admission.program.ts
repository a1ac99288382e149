import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedKube } from 'embedded-kube';
import { SystemClock, SystemRandom } from 'nestjs-kopf';
import { generateCertificate } from '../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { TestProcess } from '../support/programs/child.process.js';
import { customResource, DEFINITIONS, ClusterUser } from '../support/clusters/cluster.user.js';
import { makeExample, makeReview } from '../support/webhooks/reviews.js';
import { ReviewClient } from './review.client.js';
import { findFreePort } from '../support/programs/free.port.js';

const [operator, python, theirs, requests = '10000', connections = '32'] = process.argv.slice(2);
const [TOTAL, CONNECTIONS, WARM_UP] = [Number(requests), Number(connections), 2_000];
/** As many times as Kopf's. */
const REQUIRED = 4;

interface Figures {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The server's own time of the processor for one validation, in milliseconds; 0 where it cannot be told. */
  readonly cpu: number;
}

/** In milliseconds. */
const CPU_TICK = 10;

const REVIEW = JSON.stringify(
  makeReview(
    makeExample(
      { size: 10, disks: Array.from({ length: 8 }, (_, index) => ({ name: `disk-${index}`, gigabytes: 10 * index })) },
      {
        uid: '0b2ff5c2-3d62-4d9b-8c66-0f1f9d2f5a3c',
        generation: 1,
        labels: { 'app.kubernetes.io/name': 'machine', 'app.kubernetes.io/part-of': 'bench' },
        managedFields: [
          {
            manager: 'kubectl',
            operation: 'Update',
            apiVersion: 'kopf.dev/v1',
            fieldsV1: { 'f:spec': { 'f:size': {} } },
          },
        ],
      },
    ),
  ),
);

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-admission-'));
  const tools = { clock: new SystemClock(), random: new SystemRandom() };
  const made = await generateCertificate({ names: ['127.0.0.1', 'localhost'], lifetime: 86_400 }, tools);
  const kube = await EmbeddedKube.start();
  try {
    const user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
    const [certfile, pkeyfile, kubeconfig] = ['tls.crt', 'tls.key', 'kubeconfig'].map((name) => join(folder, name));
    writeFileSync(certfile, made.certificate);
    writeFileSync(pkeyfile, made.privateKey, { mode: 0o600 });
    kube.writeKubeconfig(kubeconfig);
    const env = { KUBECONFIG: kubeconfig, CERTFILE: certfile, PKEYFILE: pkeyfile, NODE_ENV: 'production' };
    const measure = async (title: string, command: string, args: readonly string[]): Promise<Figures> => {
      const port = await findFreePort();
      const process_ = new TestProcess(command, args, { ...env, PORT: String(port) });
      try {
        const figures = await measureAt(port, made.caBundle, process_);
        const { perSecond, p50, p99, cpu } = figures;
        console.log(
          `${title.padEnd(12)} ${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  CPU ${cpu.toFixed(3)} ms`,
        );
        return figures;
      } finally {
        await process_.stop();
      }
    };
    console.log(`${TOTAL} validations over ${CONNECTIONS} connections, ${REVIEW.length} bytes each:`);
    const kopf = await measure('Kopf', python, ['-m', 'kopf', 'run', '--quiet', '-A', '--standalone', theirs]);
    const ours = await measure('nestjs-kopf', process.execPath, [operator]);
    const ratio = ours.perSecond / kopf.perSecond;
    console.log(`ratio        ${ratio.toFixed(2)}, of at least ${REQUIRED}`);
    if (ratio < REQUIRED) process.exitCode = 1;
  } finally {
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAt(port: number, ca: string, process_: TestProcess): Promise<Figures> {
  await untilServed(port, ca, process_);
  const opening = Array.from({ length: CONNECTIONS }, () => ReviewClient.open(port, ca, '/check', REVIEW));
  const clients = await Promise.all(opening);
  await sendAll(clients, WARM_UP);
  const [start, used] = [performance.now(), readCpuTime(process_.pid)];
  const latencies = await sendAll(clients, TOTAL);
  const seconds = (performance.now() - start) / 1000;
  const cpu = (readCpuTime(process_.pid) - used) / TOTAL;
  for (const client of clients) client.close();
  latencies.sort((one, other) => one - other);
  const at = (part: number): number => latencies[Math.floor(latencies.length * part)];
  return { perSecond: TOTAL / seconds, p50: at(0.5), p99: at(0.99), cpu };
}

/** Measures how long a process has worked, in milliseconds; 0 on systems that do not tell. */
function readCpuTime(pid: number | undefined): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * CPU_TICK;
}

/** @returns how long each of them took, in milliseconds. */
async function sendAll(clients: readonly ReviewClient[], total: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = total;
  const send = async (client: ReviewClient): Promise<void> => {
    while (left-- > 0) {
      const start = performance.now();
      await client.send();
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(clients.map(send));
  return latencies;
}

async function untilServed(port: number, ca: string, process_: TestProcess): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await pause(100)) {
    process_.check();
    try {
      const client = await ReviewClient.open(port, ca, '/check', REVIEW);
      await client.send().finally(() => client.close());
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`Not served: ${process_.output}`, { cause: error });
    }
  }
}

await main();
