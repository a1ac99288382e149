import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePlan, readPlans, requireWorkload, writePlans } from './plan.files.js';

const plan = { seed: 3, faults: [{ kind: 'crash' as const, afterWrite: 2 }] };
const workload = ["applies Pod 'a'", "deletes Pod 'a'"];

describe('files of plans', () => {
  let folder: string;
  const inFolder = (name: string): string => join(folder, name);

  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'plans-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('should keep plans with what they have found, and the workload that they belong to', () => {
    writePlans(inFolder('plans.json'), [{ plan, check: 'surplus', message: 'two of them', workload }]);
    expect(JSON.parse(readFileSync(inFolder('plans.json'), 'utf8'))).toEqual({
      version: 1,
      plans: [{ ...plan, workload, found: 'surplus: two of them' }],
    });
    expect(readPlans(inFolder('plans.json'))).toMatchObject([{ ...plan, workload }]);
  });

  it('should assume that plans have found something, though they are written by hand', () => {
    writeFileSync(inFolder('written.json'), JSON.stringify({ version: 1, plans: [plan] }));
    expect(readPlans(inFolder('written.json'))).toEqual([{ ...plan, found: 'something' }]);
  });

  it.each([
    ['{', / is no JSON: /],
    ['[]', / is no file of plans of version 1\.$/],
    ['{"version":2,"plans":[]}', / is no file of plans of version 1\. It has version 2\.$/],
    ['{"version":1,"plans":[{"seed":1}]}', /^Plan 1 of .* has no list of faults/],
    ['{"version":1,"plans":[{"faults":[]}]}', /^Plan 1 of .* has no seed/],
  ])('should say what is wrong with %s', (text, message) => {
    writeFileSync(inFolder('wrong.json'), text);
    expect(() => readPlans(inFolder('wrong.json'))).toThrow(message);
  });

  it('should read single plans', () => {
    expect(parsePlan(JSON.stringify(plan))).toEqual(plan);
    expect(() => parsePlan('{"seed":1,"faults":[{}]}')).toThrow('The plan has no list of faults, each with a kind.');
    expect(() => parsePlan('seed')).toThrow('The plan is no JSON');
  });

  it('should refuse a plan of another workload, and name the operation that differs', () => {
    expect(() => requireWorkload(plan, workload)).not.toThrow();
    expect(() => requireWorkload({ ...plan, workload }, [...workload])).not.toThrow();
    expect(() => requireWorkload({ ...plan, workload }, [workload[0]!, "deletes Pod 'b'"])).toThrow(
      "Operation 2 was 'deletes Pod 'a'' when it was found, and is 'deletes Pod 'b'' now.",
    );
    expect(() => requireWorkload({ ...plan, workload }, [...workload, 'more'])).toThrow(
      "Operation 3 was 'none' when it was found, and is 'more' now.",
    );
  });
});
