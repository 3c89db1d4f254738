/** For data from other processes: thousands of issues would take seconds, and one is enough. */
export const AT_FIRST_FAULT = { abortEarly: true };
