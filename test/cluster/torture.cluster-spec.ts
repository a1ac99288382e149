import { describeTorture } from './torture.suite.js';

describeTorture({ share: 1, rounds: 10, generations: 2, patient: true, lists: 'all' });
