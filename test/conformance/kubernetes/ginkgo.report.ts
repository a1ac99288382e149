import { readFileSync } from 'node:fs';

/** The outcome of a test. */
export interface TestResult {
  readonly name: string;
  /** `missing`: the binary has no such test, or ended before it ran. */
  readonly outcome: 'passed' | 'failed' | 'timed out' | 'missing';
  readonly seconds: number;
  readonly message?: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  /** In nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message: string; readonly Location: { FileName: string; LineNumber: number } };
}

const NOT_RUN = new Set(['', 'skipped', 'pending']);
const TIMED_OUT = new Set(['timedout', 'interrupted']);

/** Reads from Ginkgo's report what became of the tests that have run. */
export function readReport(file: string): TestResult[] {
  const reports = JSON.parse(readFileSync(file, 'utf8')) as { SpecReports: SpecReport[] | null }[];
  const specs = reports.flatMap(({ SpecReports }) => SpecReports ?? []);
  return specs.filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && !NOT_RUN.has(State)).map(resultOf);
}

function resultOf({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, Failure }: SpecReport): TestResult {
  const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
  const seconds = RunTime / 1e9;
  if (State === 'passed') return { name, outcome: 'passed', seconds };
  const place =
    Failure && `${Failure.Location.FileName.replace(/^.*\/test\/e2e\//, '')}:${Failure.Location.LineNumber}`;
  const message = Failure && `${place}: ${Failure.Message}`;
  return { name, outcome: TIMED_OUT.has(State) ? 'timed out' : 'failed', seconds, ...(message && { message }) };
}
