// What a person is told to do when values that they gave were not taken by the service.

export const ASK_AGAIN = 'Answer once more, with values that the project takes.';
