const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Tells whether kubectl says this or not depends on which end of a connection it sees closed first. */
const RACE = /^W\d{4} .*reflector\.go.*very short watch.*\n?/gm;

/** Takes out of an output what kubectl prints or not at random. */
export function withoutChance(output: string): string {
  return output.replaceAll(RACE, '');
}

/** Replaces in an output what differs between any two clusters: identities, versions, times, ages, addresses. */
export function normalise(output: string): string {
  return withoutChance(output)
    .replaceAll(UUID, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, '<time>')
    .replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"<version>"')
    .replaceAll(/(Resource Version: +)\d+/g, '$1<version>')
    .replaceAll(/(^|[ (])(\d+[smhdy]){1,2}(?=$|[ )])/gm, '$1<age>')
    .replaceAll(/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1<time> ')
    .replaceAll(/https:\/\/(127\.0\.0\.1|localhost):\d+/g, '<server>')
    .replaceAll(/\/tmp\/[\w.-]+(\/[\w.-]+)*/g, '<file>')
    .split('\n')
    .map((line) => line.trimEnd().replaceAll(/(?<=\S) {2,}/g, '  '))
    .join('\n')
    .trimEnd();
}
