import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CoordinationMode } from 'nestjs-kopf';
import { TestProcess } from '../../support/programs/child.process.js';
import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { overlapsOf, readNotes } from './replica.notes.js';
import { isHandled } from '../../support/operators/stored.progress.js';

/** Where the replicas work. */
export interface FreezingTarget {
  readonly user: ClusterUser;
  /** The path of the replicas' program. */
  readonly program: string;
  readonly kubeconfig: string;
}

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

/** Tests what two replicas do if the one that works is stopped for longer than the other one waits, and is continued. */
export function describeFreezing(target: () => FreezingTarget): void {
  describe.each(['lease', 'peering'] as const)('two replicas that agree by %s', (mode) => {
    it('should not work on the same object when the active one was stopped for a while, nor both write', async () => {
      const { user, program, kubeconfig } = target();
      const names = Array.from({ length: 70 }, (_, index) => `${mode}-frozen-${index}`);
      const lateNames = Array.from({ length: 10 }, (_, index) => `${mode}-thawed-${index}`);
      const folder = mkdtempSync(join(tmpdir(), 'freezing-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const file = join(folder, 'notes');
      writeFileSync(file, '');
      const notes = () => readNotes(file);
      const start = (identity: string, priority: number): TestProcess => {
        const replica = { IDENTITY: identity, MODE: mode satisfies CoordinationMode, PRIORITY: String(priority) };
        const times = { LIFETIME: '4', LEASE_DURATION: '4' };
        const env = { KUBECONFIG: kubeconfig, CALLS_FILE: file, ...replica, ...times };
        const process_ = new TestProcess(process.execPath, [program], env);
        onTestFinished(() => process_.kill());
        return process_;
      };
      const create = (name: string) =>
        user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: {} });

      const active = start('active', 2);
      await eventually('the first one is ready', () => active.output.includes('The operator is ready: it watches'));
      const standby = start('standby', 1);
      await eventually('the second one is ready', () => standby.output.includes('The operator is ready: it pauses'));
      for (const name of names) await create(name);
      await eventually('some work is done', () => notes().length > 10);
      const isInHandler = () => {
        const own = notes().filter(({ by }) => by === 'active');
        return own.some(
          ({ what, name }) => what === 'begin' && !own.some((note) => note.what === 'end' && note.name === name),
        );
      };
      active.freeze();
      // It is to be stopped in the middle of a handler, which takes some attempts.
      for (let attempt = 0; attempt < 50 && !isInHandler(); attempt++) {
        active.thaw();
        await pause(10);
        active.freeze();
        await pause(20);
      }
      const frozen = Date.now();
      await eventually('the other one works', () => notes().filter(({ by }) => by === 'standby').length > 5);
      const begun = notes().filter(({ by, what }) => by === 'active' && what === 'begin');
      const ended = new Set(notes().flatMap(({ by, what, name }) => (by === 'active' && what === 'end' ? [name] : [])));
      active.thaw();
      for (const name of lateNames) await create(name);
      await eventually('everything is handled', async () => (await user.list(OBJECTS)).every(isHandled), 60);
      await pause(1000);

      expect(overlapsOf(notes(), 'active', frozen)).toEqual([]);
      const interrupted = begun.filter(({ name }) => !ended.has(name));
      for (const { name } of interrupted) {
        const last = notes().findLast((note) => note.name === name && note.what === 'begin' && note.at > frozen);
        const stored = await user.get(`${OBJECTS}/${name}`);
        // What the stopped one was doing was done anew, by whoever led then.
        expect([name, stored?.status]).toEqual([name, { create: { by: last?.by } }]);
      }
      expect(interrupted.length).toBeGreaterThan(0);
      expect(active.output).not.toMatch(/ERROR/);
      expect(standby.output).not.toMatch(/ERROR/);
      await Promise.all([active.stop(), standby.stop()]);
      for (const name of [...names, ...lateNames]) await user.delete(`${OBJECTS}/${name}`);
    });
  });
}
