const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Tells whether kubectl says this or not depends on which end of a connection it sees closed first. */
const RACE = /^W\d{4} .*reflector\.go.*very short watch.*\n?/gm;

/**
 * Finds what belongs to a cluster and not to its API: what the simulated kubelet of the real control plane leaves out of a status,
 * and what it has instead of a version; which steps of a rollout are seen, which depends on time; with what a server was
 * built.
 */
const ENVIRONMENT = [
  /^Waiting for (deployment|daemon set|statefulset|\d+ pods).*\n?/gm,
  /^ *"(gitCommit|goVersion|compiler|platform)": .*\n?/gm,
  /^ *(Container ID: .*|PodReadyToStartContainers .*)\n?/gm,
  /^ +Normal +(Pulling|Pulled|Created|Started) +\S+ +kubelet .*\n?/gm,
];

/** Takes out of an output what kubectl prints or not at random. */
export function withoutChance(output: string): string {
  return output.replaceAll(RACE, '');
}

/** Puts warnings first: they come by another stream than the rest, so that their place depends on chance. */
function withWarningsFirst(output: string): string {
  const lines = output.split('\n');
  const isWarning = (line: string): boolean => line.startsWith('Warning: ');
  return [...lines.filter(isWarning), ...lines.filter((line) => !isWarning(line))].join('\n');
}

/** Replaces in an output what differs between any two clusters: identities, versions, times, ages, addresses. */
export function normalise(output: string): string {
  return (
    ENVIRONMENT.reduce((text, pattern) => text.replaceAll(pattern, ''), withWarningsFirst(withoutChance(output)))
      .replaceAll(/\/tmp\/[\w.-]+(\/[\w.-]+)*/g, '<file>')
      .replaceAll(UUID, '<uid>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replaceAll(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, '<time>')
      .replaceAll(/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"')
      .replaceAll(/(Resource Version: +)\d+/g, '$1<version>')
      .replaceAll(/(^|[ (])(\d+[smhdy]){1,2}(?=$|[ )])/gm, '$1<age>')
      .replaceAll(/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1<time> ')
      .replaceAll(/https:\/\/(127\.0\.0\.1|localhost):\d+/g, '<server>')
      .replaceAll(/\b(10|172|192|127)(\.\d{1,3}){3}\b/g, '<address>')
      .replaceAll(/(?<=\w-)[bcdf-hj-np-tv-xz2-9]{5}\b/g, '<suffix>')
      // Hashes of templates are made of what Go prints of its structures.
      .replaceAll(/(?<=\w-|-hash[:=] ?)[bcdf-hj-np-tv-xz2-9]{8,10}\b/g, '<hash>')
      .replaceAll('+embedded-kube', '')
      .replaceAll('Approved,Issued', 'Approved')
      .replaceAll(/(targetPort|TargetPort): +\d{5}/g, '$1: <port>')
      .replaceAll(/(Endpoints: +[\d.<>a-z]+):\d{5}/g, '$1:<port>')
      .replaceAll(/("serverAddress":)"[^"]+"/g, '$1"<address>"')
      .replaceAll(/(:|, )3[0-2]\d{3}(?=\/TCP)/g, '$1<port>')
      .replaceAll(/^(Node: +[\w-]+\/)<address>$/gm, '$1')
      .replaceAll(/(?<=<age> {2,})(kwok-\S+|simulated)/g, '<version>')
      .replaceAll(/^(UID|    uid:) +admin\n/gm, '')
      .split('\n')
      .map((line) => line.trimEnd().replaceAll(/(?<=\S) {2,}/g, '  '))
      .join('\n')
      .trimEnd()
  );
}
