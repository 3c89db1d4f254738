/** Numbers of the simulator's seeded accounts. */
export const ADA = '12025550101';
export const BEN = '12025550102';
export const CARLA = '12025550103';
export const DEV = '12025550104';
export const EDITH = '12025550105';
export const FARID = '12025550106';
export const GRACE = '12025550107';
/** A number without an account. */
export const NOBODY = '12025559999';
export const UNKNOWN_GROUP = '120363999999999999@g.us';

/** The id of the person with a number. */
export const idOf = (number: string) => `${number}@c.us`;
