import 'reflect-metadata';
import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  KopfModule,
  lifecycles,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import type { EventOptions } from 'nestjs-kopf/decorators';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  SmartProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
  type DiffBaseStorage,
  type ProgressStorage,
} from 'nestjs-kopf/storages';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';
import { makeFunction } from './nest.handlers.js';
import { makeOptions } from './nest.options.js';
import type { Command, InstanceDescription } from './side.process.js';
import type { DecoratorPlan, ProgramSettings, StoragePlan } from './program.js';

const URL = process.env.COORDINATOR!;
const LIFECYCLES = { asap: lifecycles.asap, all_at_once: lifecycles.allAtOnce, one_by_one: lifecycles.oneByOne };
const PROGRESS: Record<StoragePlan['kind'], new (options: object) => ProgressStorage> = {
  annotations: AnnotationsProgressStorage,
  status: StatusProgressStorage,
  smart: SmartProgressStorage,
};
const DIFFBASE: Record<string, new (options: object) => DiffBaseStorage> = {
  annotations: AnnotationsDiffBaseStorage,
  status: StatusDiffBaseStorage,
};

const applications = new Map<string, INestApplicationContext>();

function makeStorage<T>(classes: Record<string, new (options: object) => T>, plan: StoragePlan): T {
  const { kind, ignored, ...options } = plan;
  return new classes[kind]({ ...options, ...(ignored && { ignoredFields: ignored }) });
}

function makeSettings(plan: ProgramSettings): KopfModuleOptions {
  return {
    scanning: { disabled: true },
    execution: { defaultBackoff: plan.defaultBackoff },
    lifecycle: LIFECYCLES[plan.lifecycle ?? 'asap'],
    peering: { standalone: true },
    persistence: {
      consistencyTimeout: plan.consistencyTimeout,
      ...(plan.finalizer && { finalizer: plan.finalizer }),
      ...(plan.progress && { progressStorage: makeStorage(PROGRESS, plan.progress) }),
      ...(plan.diffbase && { diffbaseStorage: makeStorage(DIFFBASE, plan.diffbase) }),
    },
  };
}

function decorate({ kind, options }: DecoratorPlan, id: string, plural: string): MethodDecorator {
  const made = { id, ...makeOptions(options) };
  switch (kind) {
    case 'create':
      return OnCreate('kopf.dev', 'v1', plural, made);
    case 'update':
      return OnUpdate('kopf.dev', 'v1', plural, made);
    case 'delete':
      return OnDelete('kopf.dev', 'v1', plural, made);
    case 'resume':
      return OnResume('kopf.dev', 'v1', plural, made);
    case 'field':
      return OnField('kopf.dev', 'v1', plural, { ...made, field: options.field! });
    case 'event':
      return OnEvent('kopf.dev', 'v1', plural, made as EventOptions);
  }
}

/** One application with one operator, which can be asked to stop. */
async function start(instance: InstanceDescription): Promise<void> {
  const { id, program, plural, namespace } = instance;
  class ProgramOperator {}
  const prototype = ProgramOperator.prototype as Record<string, unknown>;
  for (const handler of program.handlers) {
    prototype[handler.id] = makeFunction(`${URL}/${id}/calls`, handler.id, handler.body);
    const decorators = handler.decorators.map((each) => decorate(each, handler.id, plural));
    const descriptor = Object.getOwnPropertyDescriptor(prototype, handler.id)!;
    Reflect.decorate(decorators, prototype, handler.id, descriptor);
  }
  Injectable()(ProgramOperator);
  class ProgramModule {}
  const options = {
    ...makeSettings(program.settings),
    namespaces: [namespace],
    credentials: { server: `${URL}/${id}/api` },
  };
  Module({ imports: [KopfModule.forRoot(options)], providers: [ProgramOperator] })(ProgramModule);
  const logger = process.env.DIFFERENTIAL_LOGS ? undefined : new SilentLogger();
  applications.set(id, await NestFactory.createApplicationContext(ProgramModule, { logger, abortOnError: false }));
}

async function carryOut(command: Command): Promise<void> {
  if (command.do === 'start') {
    await start(command.instance);
  } else if (command.do === 'stop') {
    await applications.get(command.id)?.close();
    applications.delete(command.id);
  } else {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  }
}

const commands = `${URL}/commands/${process.env.PROCESS}`;
for (let last = 0; ;) {
  const answer = await fetch(`${commands}?after=${last}`);
  for (const command of (await answer.json()) as readonly Command[]) {
    last = command.number;
    void carryOut(command).then(() => fetch(`${commands}?done=${command.number}`, { method: 'POST' }));
  }
}
