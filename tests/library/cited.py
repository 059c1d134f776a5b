# ruff: noqa: E501 (a work is a line)
"""Sixty well-known works, and the styles in which lists of references write them."""

from collections.abc import Callable
from dataclasses import dataclass

_WORKS = """
Ashish Vaswani; Noam Shazeer; Niki Parmar; Jakob Uszkoreit; Llion Jones; Aidan N. Gomez; Łukasz Kaiser; Illia Polosukhin|2017|Attention is all you need|C|Advances in Neural Information Processing Systems|30|5998-6008
Jacob Devlin; Ming-Wei Chang; Kenton Lee; Kristina Toutanova|2019|BERT: Pre-training of deep bidirectional transformers for language understanding|C|Proceedings of NAACL-HLT||4171-4186
Kaiming He; Xiangyu Zhang; Shaoqing Ren; Jian Sun|2016|Deep residual learning for image recognition|C|Proceedings of CVPR||770-778
Diederik P. Kingma; Jimmy Lei Ba|2015|Adam: A method for stochastic optimization|C|International Conference on Learning Representations||1-15
Yann LeCun; Yoshua Bengio; Geoffrey Hinton|2015|Deep learning|J|Nature|521|436-444
Sepp Hochreiter; Jürgen Schmidhuber|1997|Long short-term memory|J|Neural Computation|9|1735-1780
Laurens van der Maaten; Geoffrey Hinton|2008|Visualizing data using t-SNE|J|Journal of Machine Learning Research|9|2579-2605
Claude E. Shannon|1948|A mathematical theory of communication|J|Bell System Technical Journal|27|379-423
Alan M. Turing|1950|Computing machinery and intelligence|J|Mind|59|433-460
Edsger W. Dijkstra|1965|Solution of a problem in concurrent programming control|J|Communications of the ACM|8|569-570
Alex Krizhevsky; Ilya Sutskever; Geoffrey E. Hinton|2012|ImageNet classification with deep convolutional neural networks|C|Advances in Neural Information Processing Systems|25|1097-1105
Olga Russakovsky; Jia Deng; Hao Su; Jonathan Krause; Sanjeev Satheesh|2015|ImageNet large scale visual recognition challenge|J|International Journal of Computer Vision|115|211-252
Leo Breiman|2001|Random forests|J|Machine Learning|45|5-32
Corinna Cortes; Vladimir Vapnik|1995|Support-vector networks|J|Machine Learning|20|273-297
Robert Tibshirani|1996|Regression shrinkage and selection via the lasso|J|Journal of the Royal Statistical Society: Series B|58|267-288
Arthur P. Dempster; Nan M. Laird; Donald B. Rubin|1977|Maximum likelihood from incomplete data via the EM algorithm|J|Journal of the Royal Statistical Society: Series B|39|1-38
David M. Blei; Andrew Y. Ng; Michael I. Jordan|2003|Latent Dirichlet allocation|J|Journal of Machine Learning Research|3|993-1022
Scott Deerwester; Susan T. Dumais; George W. Furnas; Thomas K. Landauer; Richard Harshman|1990|Indexing by latent semantic analysis|J|Journal of the American Society for Information Science|41|391-407
Stephen Robertson; Hugo Zaragoza|2009|The probabilistic relevance framework: BM25 and beyond|J|Foundations and Trends in Information Retrieval|3|333-389
Karen Spärck Jones|1972|A statistical interpretation of term specificity and its application in retrieval|J|Journal of Documentation|28|11-21
Gerard Salton; Anita Wong; Chung-Shu Yang|1975|A vector space model for automatic indexing|J|Communications of the ACM|18|613-620
Patrick Lewis; Ethan Perez; Aleksandra Piktus; Fabio Petroni; Vladimir Karpukhin; Naman Goyal|2020|Retrieval-augmented generation for knowledge-intensive NLP tasks|C|Advances in Neural Information Processing Systems|33|9459-9474
Vladimir Karpukhin; Barlas Oğuz; Sewon Min; Patrick Lewis; Ledell Wu; Sergey Edunov; Danqi Chen; Wen-tau Yih|2020|Dense passage retrieval for open-domain question answering|C|Proceedings of EMNLP||6769-6781
Omar Khattab; Matei Zaharia|2020|ColBERT: Efficient and effective passage search via contextualized late interaction over BERT|C|Proceedings of SIGIR||39-48
Nils Reimers; Iryna Gurevych|2019|Sentence-BERT: Sentence embeddings using Siamese BERT-networks|C|Proceedings of EMNLP-IJCNLP||3982-3992
Zhilin Yang; Peng Qi; Saizheng Zhang; Yoshua Bengio; William W. Cohen; Ruslan Salakhutdinov; Christopher D. Manning|2018|HotpotQA: A dataset for diverse, explainable multi-hop question answering|C|Proceedings of EMNLP||2369-2380
Pranav Rajpurkar; Jian Zhang; Konstantin Lopyrev; Percy Liang|2016|SQuAD: 100,000+ questions for machine comprehension of text|C|Proceedings of EMNLP||2383-2392
Mandar Joshi; Eunsol Choi; Daniel S. Weld; Luke Zettlemoyer|2017|TriviaQA: A large scale distantly supervised challenge dataset for reading comprehension|C|Proceedings of ACL||1601-1611
Emily M. Bender; Timnit Gebru; Angelina McMillan-Major; Shmargaret Shmitchell|2021|On the dangers of stochastic parrots: Can language models be too big?|C|Proceedings of FAccT||610-623
Marco Tulio Ribeiro; Sameer Singh; Carlos Guestrin|2016|"Why should I trust you?": Explaining the predictions of any classifier|C|Proceedings of KDD||1135-1144
Tomas Mikolov; Ilya Sutskever; Kai Chen; Greg Corrado; Jeffrey Dean|2013|Distributed representations of words and phrases and their compositionality|C|Advances in Neural Information Processing Systems|26|3111-3119
Jeffrey Pennington; Richard Socher; Christopher D. Manning|2014|GloVe: Global vectors for word representation|C|Proceedings of EMNLP||1532-1543
Ilya Sutskever; Oriol Vinyals; Quoc V. Le|2014|Sequence to sequence learning with neural networks|C|Advances in Neural Information Processing Systems|27|3104-3112
Kishore Papineni; Salim Roukos; Todd Ward; Wei-Jing Zhu|2002|BLEU: A method for automatic evaluation of machine translation|C|Proceedings of ACL||311-318
Nitish Srivastava; Geoffrey Hinton; Alex Krizhevsky; Ilya Sutskever; Ruslan Salakhutdinov|2014|Dropout: A simple way to prevent neural networks from overfitting|J|Journal of Machine Learning Research|15|1929-1958
John McCarthy|1960|Recursive functions of symbolic expressions and their computation by machine|J|Communications of the ACM|3|184-195
Volodymyr Mnih; Koray Kavukcuoglu; David Silver; Andrei A. Rusu; Joel Veness|2015|Human-level control through deep reinforcement learning|J|Nature|518|529-533
David Silver; Aja Huang; Chris J. Maddison; Arthur Guez; Laurent Sifre; George van den Driessche|2016|Mastering the game of Go with deep neural networks and tree search|J|Nature|529|484-489
John Jumper; Richard Evans; Alexander Pritzel; Tim Green; Michael Figurnov|2021|Highly accurate protein structure prediction with AlphaFold|J|Nature|596|583-589
Jure Leskovec; Jon Kleinberg; Christos Faloutsos|2005|Graphs over time: Densification laws, shrinking diameters and possible explanations|C|Proceedings of KDD||177-187
John McCarthy|1960|Recursive functions of symbolic expressions and their computation by machine|J|Communications of the ACM|3|184-195
Jon M. Kleinberg|1999|Authoritative sources in a hyperlinked environment|J|Journal of the ACM|46|604-632
Leslie Lamport|1978|Time, clocks, and the ordering of events in a distributed system|J|Communications of the ACM|21|558-565
Jeffrey Dean; Sanjay Ghemawat|2008|MapReduce: Simplified data processing on large clusters|J|Communications of the ACM|51|107-113
Ronald L. Rivest; Adi Shamir; Leonard Adleman|1978|A method for obtaining digital signatures and public-key cryptosystems|J|Communications of the ACM|21|120-126
Whitfield Diffie; Martin E. Hellman|1976|New directions in cryptography|J|IEEE Transactions on Information Theory|22|644-654
James D. Watson; Francis H. C. Crick|1953|Molecular structure of nucleic acids|J|Nature|171|737-738
Albert Einstein; Boris Podolsky; Nathan Rosen|1935|Can quantum-mechanical description of physical reality be considered complete?|J|Physical Review|47|777-780
Albert-László Barabási; Réka Albert|1999|Emergence of scaling in random networks|J|Science|286|509-512
Duncan J. Watts; Steven H. Strogatz|1998|Collective dynamics of 'small-world' networks|J|Nature|393|440-442
Daniel Kahneman; Amos Tversky|1979|Prospect theory: An analysis of decision under risk|J|Econometrica|47|263-291
John P. A. Ioannidis|2005|Why most published research findings are false|J|PLoS Medicine|2|696-701
Yoav Benjamini; Yosef Hochberg|1995|Controlling the false discovery rate: A practical and powerful approach to multiple testing|J|Journal of the Royal Statistical Society: Series B|57|289-300
Fei-Fei Li; Rob Fergus; Pietro Perona|2006|One-shot learning of object categories|J|IEEE Transactions on Pattern Analysis and Machine Intelligence|28|594-611
Yinhan Liu; Myle Ott; Naman Goyal; Jingfei Du; Mandar Joshi; Danqi Chen|2019|RoBERTa: A robustly optimized BERT pretraining approach|A|1907.11692||
Rico Sennrich; Barry Haddow; Alexandra Birch|2016|Neural machine translation of rare words with subword units|C|Proceedings of ACL||1715-1725
Yunfan Gao; Yun Xiong; Xinyu Gao; Kangxiang Jia|2023|Retrieval-augmented generation for large language models: A survey|A|2312.10997||
Emmanuel J. Candès; Justin Romberg; Terence Tao|2006|Robust uncertainty principles: Exact signal reconstruction from highly incomplete frequency information|J|IEEE Transactions on Information Theory|52|489-509
Ian J. Goodfellow; Jean Pouget-Abadie; Mehdi Mirza; Bing Xu; David Warde-Farley|2014|Generative adversarial nets|C|Advances in Neural Information Processing Systems|27|2672-2680
Chih-Chung Chang; Chih-Jen Lin|2011|LIBSVM: A library for support vector machines|J|ACM Transactions on Intelligent Systems and Technology|2|1-27
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A work: its authors as (given, family), and where it appeared. kind: J(ournal), C(onference), A(rXiv)."""

    authors: tuple[tuple[str, str], ...]
    year: int
    title: str
    kind: str
    venue: str
    volume: str
    pages: str


def _work(line: str) -> Work:
    authors, year, title, kind, venue, volume, pages = line.split("|")
    names: list[tuple[str, str]] = []
    for author in authors.split("; "):
        words = author.split()
        begin = next((place for place, word in enumerate(words) if word in {"van", "Spärck"}), len(words) - 1)
        names.append((" ".join(words[:begin]), " ".join(words[begin:])))
    return Work(authors=tuple(names), year=int(year), title=title, kind=kind, venue=venue, volume=volume, pages=pages)


WORKS = [_work(line) for line in _WORKS.strip().splitlines()]


def _initials(given: str, dot: str = ".", space: str = " ") -> str:
    words = given.split()
    parts = ["-".join(part[0].upper() + dot for part in word.split("-")) for word in words]
    return space.join(parts)


def _listed(names: list[str], last: str, most: int = 99, others: str = " et al.") -> str:
    if len(names) > most:
        return names[0] + others
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + last + names[-1]


def _end(title: str) -> str:
    return title if title.endswith(("?", "!")) else title + "."


def acl(work: Work, number: int) -> str:
    """Full names, year, title, venue."""
    names = _listed(
        [f"{given} {family}" for given, family in work.authors], ", and " if len(work.authors) > 2 else " and "
    )
    where = {
        "A": f"arXiv preprint arXiv:{work.venue}.",
        "C": f"In {work.venue}, pages {work.pages.replace('-', '–')}.",
        "J": f"{work.venue}, {work.volume}:{work.pages.replace('-', '–')}.",
    }
    return f"{names}. {work.year}. {_end(work.title)} {where[work.kind]}"


def apa(work: Work, number: int) -> str:
    """Family names and initials, the year in brackets."""
    names = [f"{family}, {_initials(given)}" for given, family in work.authors]
    where = {
        "A": f"arXiv:{work.venue}. https://arxiv.org/abs/{work.venue}",
        "C": f"In {work.venue} (pp. {work.pages}).",
        "J": f"{work.venue}, {work.volume}, {work.pages}.",
    }
    return f"{_listed(names, ', & ')} ({work.year}). {_end(work.title)} {where[work.kind]}"


def ieee(work: Work, number: int) -> str:
    """Initials first, the title in quotation marks, the year behind."""
    names = _listed(
        [f"{_initials(given)} {family}" for given, family in work.authors],
        ", and " if len(work.authors) > 2 else " and ",
        6,
    )
    title = work.title.replace('"', "‘", 1).replace('"', "’") + ("" if work.title.endswith("?") else ",")
    where = {
        "A": f"arXiv preprint arXiv:{work.venue}, {work.year}.",
        "C": f"in {work.venue}, {work.year}, pp. {work.pages}.",
        "J": f"{work.venue}, vol. {work.volume}, no. 2, pp. {work.pages}, {work.year}.",
    }
    return f"[{number}] {names}, “{title}” {where[work.kind]}"


def lncs(work: Work, number: int) -> str:
    """Family names and initials up to a colon, the year last."""
    names = ", ".join(f"{family}, {_initials(given, space='')}" for given, family in work.authors)
    where = {
        "A": f"arXiv preprint arXiv:{work.venue} ({work.year})",
        "C": f"In: {work.venue}, pp. {work.pages.replace('-', '–')} ({work.year})",
        "J": f"{work.venue} {work.volume}, {work.pages.replace('-', '–')} ({work.year})",
    }
    return f"{number}. {names}: {_end(work.title)} {where[work.kind]}"


def vancouver(work: Work, number: int) -> str:
    """Initials without points behind the family name, year; volume: pages."""
    names = _listed(
        [f"{family} {_initials(given, '', '').replace('-', '')}" for given, family in work.authors], ", ", 6, ", et al"
    )
    where = {
        "A": f"arXiv:{work.venue} [preprint]. {work.year}.",
        "C": f"In: {work.venue}; {work.year}. p. {work.pages}.",
        "J": f"{work.venue}. {work.year};{work.volume}(2):{work.pages}.",
    }
    return f"{number}. {names}. {_end(work.title)} {where[work.kind]}"


def nature(work: Work, number: int) -> str:
    """Family names and initials, an ampersand, the year last in brackets."""
    names = _listed([f"{family}, {_initials(given)}" for given, family in work.authors], " & ", 5)
    where = {
        "A": f"Preprint at https://arxiv.org/abs/{work.venue} ({work.year}).",
        "C": f"In {work.venue} {work.pages.replace('-', '–')} ({work.year}).",
        "J": f"{work.venue} {work.volume}, {work.pages.replace('-', '–')} ({work.year}).",
    }
    return f"{number}. {names} {_end(work.title)} {where[work.kind]}"


def plain(work: Work, number: int) -> str:
    """BibTeX's plain: full names, title, venue, year last."""
    names = _listed(
        [f"{given} {family}" for given, family in work.authors], ", and " if len(work.authors) > 2 else " and "
    )
    where = {
        "A": f"arXiv preprint arXiv:{work.venue}, {work.year}.",
        "C": f"In {work.venue}, pages {work.pages.replace('-', '–')}, {work.year}.",
        "J": f"{work.venue}, {work.volume}:{work.pages.replace('-', '–')}, {work.year}.",
    }
    return f"[{number}] {names}. {_end(work.title)} {where[work.kind]}"


def elsevier(work: Work, number: int) -> str:
    """Elsevier's numbers: everything set off by commas."""
    names = ", ".join(f"{_initials(given, space='')} {family}" for given, family in work.authors)
    where = {
        "A": f"arXiv preprint arXiv:{work.venue} ({work.year}).",
        "C": f"in: {work.venue}, {work.year}, pp. {work.pages.replace('-', '–')}.",
        "J": f"{work.venue} {work.volume} ({work.year}) {work.pages.replace('-', '–')}.",
    }
    return f"[{number}] {names}, {work.title}, {where[work.kind]}"


def chicago(work: Work, number: int) -> str:
    """The first author turned round, the title in quotation marks, the year in front."""
    (given, family), *more = work.authors
    names = [f"{family}, {given}", *(f"{given} {family}" for given, family in more)]
    where = {
        "A": f"arXiv:{work.venue}.",
        "C": f"In {work.venue}, {work.pages.replace('-', '–')}.",
        "J": f"{work.venue} {work.volume} (2): {work.pages.replace('-', '–')}.",
    }
    title = work.title.replace('"', "‘", 1).replace('"', "’")
    stop = "." if not family.endswith(".") and not names[-1].endswith(".") else ""
    return f"{_listed(names, ', and ')}{stop} {work.year}. “{_end(title)}” {where[work.kind]}"


def gbt(work: Work, number: int) -> str:
    """GB/T 7714: capitals, initials without points, the kind of the work in brackets."""
    names = [f"{family.upper()} {_initials(given, '').replace('-', ' ')}" for given, family in work.authors]
    shown = ", ".join(names[:3]) + (", et al" if len(names) > 3 else "")
    where = {
        "A": f"[EB/OL]. ({work.year}-07-26)[2024-05-06]. https://arxiv.org/abs/{work.venue}.",
        "C": f"[C]//{work.venue}. {work.year}: {work.pages}.",
        "J": f"[J]. {work.venue}, {work.year}, {work.volume}(2): {work.pages}.",
    }
    return f"[{number}] {shown}. {work.title}{where[work.kind]}"


STYLES: dict[str, Callable[[Work, int], str]] = {
    style.__name__: style for style in (acl, apa, ieee, lncs, vancouver, nature, plain, elsevier, chicago, gbt)
}
