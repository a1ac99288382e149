import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Injectable, Module, type Type } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedKube } from 'embedded-kube';
import { Daemon, KopfModule, KopfOperator, OnEvent, Timer, type DaemonContext } from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { startStopwatch } from '../support/measurement/process.stopwatch.js';

/** The measurements of one operator. */
export interface BackgroundFigures {
  readonly kind: string;
  readonly handlers: number;
  /** Seconds from the start of the operator until each handler was called, without those in which other processes had the cores. */
  readonly startSeconds: number;
  /** Seconds from the start until nothing is written any more. */
  readonly settledSeconds: number;
  /** The share of one core that operator and API server take when nothing happens; 0 where it was not waited for. */
  readonly idleCpu: number;
  readonly heapMegabytes: number;
  readonly stopSeconds: number;
  /** The heap after the stop, compared with the heap before the start. */
  readonly leftMegabytes: number;
  /** Counts the handles that keep the process alive after the stop. */
  readonly leftResources: number;
}

const KEX = ['kopf.dev/v1', 'kopfexamples'] as const;
const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const IDLE_SECONDS = 10;

const calls = { count: 0, ended: 0 };

@Injectable()
class Events {
  @OnEvent(...KEX)
  seen(): void {
    calls.count++;
  }
}

@Injectable()
class Daemons {
  @Daemon(...KEX)
  async live({ stopped }: DaemonContext): Promise<void> {
    calls.count++;
    while (!(await stopped.wait(3600)));
    calls.ended++;
  }
}

@Injectable()
class Timers {
  @Timer(...KEX, { interval: 3600 })
  often(): void {
    calls.count++;
  }

  @Timer(...KEX, { interval: 7200, idle: 1 })
  seldom(): void {
    calls.count++;
  }
}

async function createObjects(kube: EmbeddedKube, count: number): Promise<void> {
  const transport = kube.transport();
  const headers = { 'content-type': 'application/json' };
  const create = async (path: string, body: object): Promise<void> => {
    const response = await transport.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.status >= 300) throw new Error(text);
  };
  await create(DEFINITIONS, customResource());
  await pause(500);
  for (let index = 0; index < count; index++) {
    const metadata = { name: `object-${index}`, labels: { app: 'load' } };
    await create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { field: index } });
  }
}

async function heap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(50);
  }
  return process.memoryUsage().heapUsed / 1e6;
}

/** Waits until the number has not changed for a second. */
async function steady(read: () => number | string): Promise<void> {
  for (let last: number | string | undefined; last !== read();) {
    last = read();
    await pause(1000);
  }
}

async function measureIdleCpu(seconds: number): Promise<number> {
  const cpu = process.cpuUsage();
  await pause(seconds * 1000);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1e6 / seconds;
}

async function measure(
  kube: EmbeddedKube,
  operator: Type,
  expected: number,
  idleSeconds: number,
): Promise<BackgroundFigures> {
  @Module({
    imports: [KopfModule.forRoot({ credentials: { server: 'http://embedded', transport: kube.transport() } })],
    providers: [operator],
  })
  class App {}

  calls.count = calls.ended = 0;
  const heapBefore = await heap();
  const resourcesBefore = process.getActiveResourcesInfo().length;
  const seconds = startStopwatch();
  const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
  await app.get(KopfOperator).ready();
  while (calls.count < expected) await pause(20);
  const startSeconds = seconds();
  await steady(() => kube.resourceVersion);
  const settledSeconds = seconds() - 1;

  const heapMegabytes = (await heap()) - heapBefore;
  const idleCpu = idleSeconds > 0 ? await measureIdleCpu(idleSeconds) : 0;
  const handlers = app.get(KopfOperator).daemons;

  const stopping = startStopwatch();
  await app.close();
  const stopSeconds = stopping();
  const leftMegabytes = (await heap()) - heapBefore;
  const leftResources = process.getActiveResourcesInfo().length - resourcesBefore;
  const figures = { startSeconds, settledSeconds, idleCpu, heapMegabytes, stopSeconds, leftMegabytes, leftResources };
  return { kind: operator.name, handlers, ...figures };
}

const count = Number(process.argv[2] ?? 10_000);
const kube = await EmbeddedKube.start({ port: false });
await createObjects(kube, count);
for (const [operator, perObject, idleSeconds] of [
  // The first one warms up what is compiled and cached; the second one is what the memory of others is compared with.
  [Events, 1, 0],
  [Events, 1, 0],
  [Daemons, 1, IDLE_SECONDS],
  [Timers, 2, IDLE_SECONDS],
] as const) {
  process.stdout.write(`${JSON.stringify(await measure(kube, operator, count * perObject, idleSeconds))}\n`);
}
await kube.stop();
