import { describeTorture } from './torture.suite.js';

describeTorture({ share: 0.4, rounds: 3, generations: 1, patient: false, lists: 'alternating' });
