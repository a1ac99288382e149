/** The frames of the simulation, the operator, and the cluster, which use the clock and the randomness of the run. */
const OWN = /(nestjs-kopf[\w-]*|embedded-kube|kube-common|libs\/kopf[\w-]*)\/(src|dist|lib)\//;

/** The lines of a stack that are calls, the innermost first. */
export function framesOf(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s*at /.test(line));
}

export function isOwnFrame(frame: string): boolean {
  return OWN.test(frame);
}

/** The function of a frame, and its place. */
export function describeFrame(frame: string): string {
  const named = /at (?:async )?(?:(.*?) \()?(?:file:\/\/)?.*?([^/\\]+:\d+):\d+\)?$/.exec(frame);
  return named ? `${named[1] ?? 'a function'} (${named[2]})` : frame.trim();
}
