import type { AccountSeed } from './control/inputs.ts';

/** The accounts at start; their numbers are reserved for fiction. */
export const seededAccounts: readonly AccountSeed[] = [
  { number: '12025550101', name: 'Ada Marsh', lid: '81604523377101' },
  { number: '12025550102', name: 'Ben Okafor', lid: '81604523377102', platform: 'iphone' },
  { number: '12025550103', name: 'Carla Ruiz', lid: '81604523377103', addressing: 'lid' },
  { number: '12025550104', name: 'Dev Patel', lid: '81604523377104' },
  { number: '12025550105', name: 'Edith Novak', lid: '81604523377105', platform: 'iphone', addressing: 'lid' },
  { number: '12025550106', name: 'Farid Haddad', lid: '81604523377106' },
  { number: '12025550107', name: 'Grace Lindqvist', lid: '81604523377107' },
];
